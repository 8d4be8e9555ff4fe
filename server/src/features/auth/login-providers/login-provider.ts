import { createHash } from 'node:crypto';
import { Email, type LoginProvider, type LoginProviderFailure } from '@roster/contracts/auth';
import { visibleLength } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import type { CustomFetch } from 'openid-client';
import { isLoopback } from '#server/config/config';
import { isObject } from '#server/lib/is-object';

/** The user as a login provider identifies them: by the subject at its issuer. */
export type LoginIdentity = {
  provider: LoginProvider;
  issuer: string;
  subject: string;
  /** A verified address, or the reason why there is none. Without one, only a known subject can sign in. */
  email: string | LoginProviderError;
  name: string | null;
  /** Names of the groups there, or the reason why they are unknown; undefined: the provider has none. */
  groups?: readonly string[] | LoginProviderError | undefined;
  /** The provider says that it asked for more than a password. */
  secondFactor?: boolean;
  /** By which the provider can end the session here, and Roster the one there. */
  session?: { sid: string | null; idToken: string | null };
};

/** Secrets that bind the provider’s callback to the request that was sent. */
export type FlowSecrets = { state: string; nonce: string; codeVerifier: string };

/** Whom a provider signs out: a session there, or every session of a subject. */
export type LogoutToken = { jti: string; sub: string | undefined; sid: string | undefined };

export type LoginProviderClient = {
  /** `again`: asks the user to sign in there even if they are signed in. */
  authorizationUrl: (secrets: FlowSecrets, redirectUri: URL, options: { again: boolean }) => Promise<URL>;
  /** Exchanges the callback’s code and returns the user’s identity. */
  identify: (secrets: FlowSecrets, callback: URL) => Promise<LoginIdentity>;
  /** The provider’s page that signs out there and returns; null: it has none. */
  logoutUrl?: (idToken: string | undefined, returnTo: URL) => Promise<URL | null>;
  /** @throws unless the provider signed it for this client just now */
  verifyLogoutToken?: (token: string) => Promise<LogoutToken>;
};

export const pkceChallenge = (codeVerifier: string) => createHash('sha256').update(codeVerifier).digest('base64url');

/** The reason why a sign-in failed, for the page where it ends. */
export class LoginProviderError extends Error {
  override name = 'LoginProviderError';
  readonly code: LoginProviderFailure;
  constructor(code: LoginProviderFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const timeoutSeconds = 10;
const largestAnswer = 1024 * 1024;

/** Follows no redirects, reads at most 1 MiB, and allows plain http only on loopback. */
export const boundedFetch =
  (fetch: typeof globalThis.fetch): CustomFetch =>
  async (address, { body, method, headers, signal }) => {
    const url = new URL(address);
    if (url.protocol !== 'https:' && !isLoopback(url.hostname))
      throw new Error('the provider names an address without TLS');
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body != null && { body }),
      ...(signal && { signal }),
    });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > largestAnswer) throw new Error('the answer is longer than 1 MiB');
      parts.push(part);
    }
    const { status, headers: answered } = response;
    return new Response(length > 0 ? Buffer.concat(parts) : null, { status, headers: answered });
  };

/** Turns every failure at the provider into a `provider_failed` error with its cause. */
export async function asProviderFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginProviderError) throw error;
    throw new LoginProviderError('provider_failed', 'the provider did not answer as it should', { cause: error });
  }
}

/**
 * For `catch`: returns a provider failure as a value, because it only matters if the user is unknown.
 * @throws every other error
 */
export function returnProviderError(error: unknown): LoginProviderError {
  if (error instanceof LoginProviderError) return error;
  throw error;
}

/** Lists the causes of a failure for the log, without anything that could hold a code, a token or an address. */
export function describeCauses(error: Error): string {
  const causes: string[] = [];
  let cause = error.cause;
  for (; cause instanceof Error && causes.length < 6; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
    // A JSON parser quotes the text that it could not read.
    const message = cause instanceof SyntaxError ? 'not JSON' : cause.message.slice(0, 200);
    causes.push(`${cause.name}${code}: ${message}${providersWord(cause)}`);
  }
  if (cause instanceof Response) causes.push(`status ${cause.status}`);
  else if (isObject(cause) && isObject(cause.body)) causes.push(`answered${providersWord(cause.body)}`);
  return causes.join('; ');
}

/** The provider’s OAuth error code, if it looks like one. */
function providersWord(answer: object): string {
  return 'error' in answer && typeof answer.error === 'string' && /^[a-z_]{1,60}$/.test(answer.error)
    ? ` (${answer.error})`
    : '';
}

/** Returns the canonical address, or an error if mail cannot be sent to it. */
export function parseEmail(email: string): string | LoginProviderError {
  const parsed = Email.safeParse(email);
  return parsed.success
    ? parsed.data
    : new LoginProviderError(
        'email_unusable',
        'email cannot be sent to the address, for example because it has no dot',
      );
}

/** Returns the profile’s name, or null if it is not a valid name here. */
export function parseName(name: unknown): string | null {
  if (typeof name !== 'string' || name.length > 400) return null;
  const tidy = tidyName(name).normalize('NFC');
  return visibleLength(tidy) >= 2 && codePointLength(tidy) <= 100 ? tidy : null;
}
