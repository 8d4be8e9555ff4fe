import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const stepSeconds = 30;
const secretBytes = 20;

const authenticator = (secret: Secret, label?: string) =>
  new TOTP({ issuer: 'Roster', secret, algorithm: 'SHA1', digits: 6, period: stepSeconds, ...(label && { label }) });

/** A new secret in base32. */
export const newAppSecret = (): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;

/** The text of the QR code for an authenticator app. */
export const appUri = (secret: string, email: string): string =>
  authenticator(Secret.fromBase32(secret), email).toString();

/**
 * The time step of a valid code (RFC 6238, SHA-1, 6 digits, 30 seconds): the current one or one beside it. null: the
 * code is wrong.
 */
export function matchingStep(secret: string, code: string, now: number): number | null {
  const delta = authenticator(Secret.fromBase32(secret)).validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? null : Math.floor(now / 1000 / stepSeconds) + delta;
}
