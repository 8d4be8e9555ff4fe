import type { Role } from '@roster/contracts/auth';
import { AppError, restartingError } from '#server/lib/errors';
import type { ApiPrincipal } from './api-principal.ts';

const checkMs = 2_500;
const callsPerUser = 200;

/**
 * The running calls of clients: limited per user, and ended when their token expires or is revoked, or when its owner's
 * role changes. All tokens are checked in one query.
 */
export function createCallRegistry(
  liveTokens: (ids: number[]) => Promise<Map<number, Role>>,
  onError: (error: unknown) => void,
  longestMs: number,
) {
  const open = new Map<AbortController, ApiPrincipal & { isKept: boolean }>();

  async function endExpired() {
    // A snapshot: calls that start while the database answers were not part of the query.
    const calls = [...open];
    if (calls.length === 0) return;
    const live = await liveTokens([...new Set(calls.map(([, { tokenId }]) => tokenId))]);
    for (const [controller, { tokenId, role }] of calls)
      if (live.get(tokenId) !== role)
        controller.abort(
          new AppError(
            'not_signed_in',
            'The access token has expired or been revoked, or its owner’s role has changed.',
          ),
        );
  }

  const timer = setInterval(() => endExpired().catch(onError), checkMs).unref();

  return {
    /** Limit for calls whose client waits for the response. */
    longestMs,
    /**
     * @throws rate_limited. Call `done` once the response is finished. A call with `isKept` is not aborted at shutdown:
     * its owner ends it.
     */
    begin(caller: ApiPrincipal, { isKept = false } = {}): { controller: AbortController; done: () => void } {
      let mine = 0;
      for (const { userId } of open.values()) if (userId === caller.userId) mine++;
      if (mine >= callsPerUser)
        throw new AppError(
          'rate_limited',
          `An account can have ${callsPerUser} calls in progress at once. Wait for one to finish.`,
          {
            retryAfterSeconds: 1,
          },
        );
      const controller = new AbortController();
      open.set(controller, { ...caller, isKept });
      return { controller, done: () => open.delete(controller) };
    },
    close() {
      clearInterval(timer);
      for (const [controller, { isKept }] of open) if (!isKept) controller.abort(restartingError());
    },
  };
}

export type CallRegistry = ReturnType<typeof createCallRegistry>;
