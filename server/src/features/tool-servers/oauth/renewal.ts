import { setTimeout } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Database } from '#server/db/schema';
import { ToolServerError } from '#server/features/tool-servers/shared/failure';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import { loadAuth } from './discovery.ts';
import { type EncryptedSignIns, TokenResponse, Tokens } from './encrypted.ts';
import { isFinal, isOfClient, SignInError, toSignInError } from './failure.ts';
import { oauthFetch } from './fetch.ts';
import { signInRepository } from './sign-in-repository.ts';

export type RenewalDependencies = {
  db: Kysely<Database>;
  sealed: EncryptedSignIns;
  outgoing: SsrfGuard;
  times: Pick<ToolTimeouts, 'signInMs'>;
};
export type RenewedTokens = { tokens: Tokens; version: number };

const pollMs = 200;

export const expiryOf = ({ expires_in: seconds }: { expires_in?: number | undefined }) =>
  seconds === undefined ? null : new Date(Date.now() + seconds * 1000).toISOString();

/** A failure that may pass, worded for a call. */
const notNow = (error: SignInError) =>
  new ToolServerError(`The sign-in at the server could not be renewed: ${error.message}`, {
    mayHaveRun: false,
    cause: error,
  });

/** Requests new tokens. @throws SignInError */
async function requestTokens({ outgoing, times }: RenewalDependencies, tokens: Tokens, refresh: string) {
  const { refreshAuthorization } = await loadAuth();
  const { authority, client, resource } = tokens;
  try {
    const given = await refreshAuthorization(authority.issuer, {
      metadata: authority,
      clientInformation: client,
      refreshToken: refresh,
      ...(resource !== undefined && { resource: new URL(resource) }),
      fetchFn: oauthFetch(outgoing, times.signInMs),
    });
    return TokenResponse.parse(given);
  } catch (error) {
    throw toSignInError(error, new URL(authority.token_endpoint).host);
  }
}

/**
 * Renews tokens. One process at a time holds a lease in the row, because refresh tokens may be valid only once. New
 * tokens are stored before anybody uses them, and even if nobody waits for them any more.
 */
export function createTokenRenewal(dependencies: RenewalDependencies) {
  const { db, sealed, times } = dependencies;
  const signIns = signInRepository(db);
  const running = new Map<string, Promise<RenewedTokens | null>>();
  /** Longer than the holder of the lease may take. */
  const leaseMs = times.signInMs * 2;

  const openedOf = (userId: number, row: { tokens_sealed: string | null; wrapped: string | null }) =>
    sealed.open(Tokens, userId, 'tool-server-tokens', { sealed: row.tokens_sealed, wrapped: row.wrapped });

  /** Requires the lease. */
  async function exchange(userId: number, serverId: number, version: number, before: Tokens | null) {
    if (before?.refresh === undefined) {
      await signIns.end(userId, serverId, version, false);
      return null;
    }
    try {
      const given = await requestTokens(dependencies, before, before.refresh);
      const tokens: Tokens = { ...before, access: given.access_token, refresh: given.refresh_token ?? before.refresh };
      const kept = await sealed.seal(userId, 'tool-server-tokens', tokens);
      const isKept = await signIns.renew(userId, serverId, version, kept, expiryOf(given));
      return isKept ? { tokens, version: version + 1 } : null;
    } catch (error) {
      if (!(error instanceof SignInError) || !isFinal(error)) await signIns.release(userId, serverId, version);
      if (!(error instanceof SignInError)) throw error;
      if (!isFinal(error)) throw notNow(error);
      await signIns.end(userId, serverId, version, isOfClient(error));
      return null;
    }
  }

  async function renewOnce(userId: number, serverId: number, version: number): Promise<RenewedTokens | null> {
    const until = performance.now() + leaseMs + pollMs;
    for (;;) {
      const row = await signIns.find(userId, serverId);
      if (!row?.tokens_sealed) return null;
      const tokens = openedOf(userId, row);
      // Another process was faster.
      if (row.version !== version) return tokens && { tokens, version: row.version };
      const lease = new Date(Date.now() + leaseMs).toISOString();
      if (await signIns.lease(userId, serverId, version, lease)) return exchange(userId, serverId, version, tokens);
      if (performance.now() > until) throw notNow(new SignInError('another process is taking too long to renew it.'));
      await setTimeout(pollMs);
    }
  }

  return {
    /** The tokens that succeed this version; null if the user has to sign in again. @throws ToolServerError */
    renew(userId: number, serverId: number, version: number): Promise<RenewedTokens | null> {
      const key = `${userId} ${serverId} ${version}`;
      const pending = running.get(key);
      if (pending) return pending;
      const work = renewOnce(userId, serverId, version).finally(() => running.delete(key));
      running.set(key, work);
      return work;
    },
    inProgress: () => [...running.values()],
  };
}
