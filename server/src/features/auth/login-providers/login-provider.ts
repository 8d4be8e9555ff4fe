import { createHash } from 'node:crypto';
import { Email, type LoginProvider, type LoginProviderFailure } from '@roster/contracts/auth';
import { visibleLength } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import type { CustomFetch } from 'openid-client';
import { isLoopback } from '#server/config/config';
import { isObject } from '#server/lib/is-object';

/** Who signs in, as Google or GitHub says: known by the subject at its issuer. */
export type LoginIdentity = {
  provider: LoginProvider;
  issuer: string;
  subject: string;
  /** One that the provider has verified, or why there is none: without one only a known subject is let in. */
  email: string | LoginProviderError;
  name: string | null;
};

/** What binds an answer of the provider to the question that was asked. */
export type FlowSecrets = { state: string; nonce: string; codeVerifier: string };

export type LoginProviderClient = {
  /** Where the browser is sent to. */
  authorizationUrl: (secrets: FlowSecrets, redirectUri: URL) => Promise<URL>;
  /** Exchanges the code of the callback address and asks who it is. */
  identify: (secrets: FlowSecrets, callback: URL) => Promise<LoginIdentity>;
};

/** PKCE, S256. */
export const pkceChallenge = (codeVerifier: string) => createHash('sha256').update(codeVerifier).digest('base64url');

/** Why a sign-in came to nothing, as the page where it ends will say. */
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

/** Follows no redirect, reads no more than 1 MiB, and speaks plain http within this machine only. */
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

/** Whatever goes wrong at the provider is its failure, kept as the cause. */
export async function asProviderFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LoginProviderError) throw error;
    throw new LoginProviderError('provider_failed', 'the provider did not answer as it should', { cause: error });
  }
}

/** For `catch`: a failure that only counts where the person is not known already. @throws every other one */
export function returnProviderError(error: unknown): LoginProviderError {
  if (error instanceof LoginProviderError) return error;
  throw error;
}

/** The causes of a failure for the log. Only what cannot hold a code, a token or an address. */
export function describeCauses(error: Error): string {
  const causes: string[] = [];
  let cause = error.cause;
  for (; cause instanceof Error && causes.length < 6; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? ` ${cause.code}` : '';
    // A parser quotes what it could not read.
    const message = cause instanceof SyntaxError ? 'not JSON' : cause.message.slice(0, 200);
    causes.push(`${cause.name}${code}: ${message}${providersWord(cause)}`);
  }
  if (cause instanceof Response) causes.push(`status ${cause.status}`);
  else if (isObject(cause) && isObject(cause.body)) causes.push(`answered${providersWord(cause.body)}`);
  return causes.join('; ');
}

/** What the provider says is wrong, where it is a word such as OAuth has them. */
function providersWord(answer: object): string {
  return 'error' in answer && typeof answer.error === 'string' && /^[a-z_]{1,60}$/.test(answer.error)
    ? ` (${answer.error})`
    : '';
}

/** The address in its canonical form, or why it is none that Roster could use. */
export function parseEmail(email: string): string | LoginProviderError {
  const parsed = Email.safeParse(email);
  return parsed.success
    ? parsed.data
    : new LoginProviderError(
        'email_unusable',
        'the address is none that mail could be sent to, such as one without a dot',
      );
}

/** A name as a profile has it, where it can be one here. */
export function parseName(name: unknown): string | null {
  if (typeof name !== 'string' || name.length > 400) return null;
  const tidy = tidyName(name).normalize('NFC');
  return visibleLength(tidy) >= 2 && codePointLength(tidy) <= 100 ? tidy : null;
}
