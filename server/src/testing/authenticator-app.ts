import { Secret, TOTP } from 'otpauth';

const stepMs = 30_000;

/** The code that an authenticator app shows at a time. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/** An authenticator app, used by somebody who never enters a code twice: the server accepts the next one early. */
export function authenticatorApp(secret: string) {
  let last = 0;
  return {
    next(): string {
      last = Math.max(Math.floor(Date.now() / stepMs), last + 1);
      return codeAt(secret, last * stepMs);
    },
  };
}
