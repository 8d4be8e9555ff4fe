import type { Role } from '@roster/contracts/auth';
import { AppError, restarting } from '#server/lib/errors';
import type { ApiPrincipal } from './api-principal.ts';

const checkMs = 2_500;
const callsPerUser = 200;

/**
 * The calls of programs that are being answered: so many for a person, and none whose token has ended, or whose owner has
 * another role by now. The tokens are asked for together.
 */
export function createCallRegistry(
  liveTokens: (ids: number[]) => Promise<Map<number, Role>>,
  onError: (error: unknown) => void,
  longestMs: number,
) {
  const open = new Map<AbortController, ApiPrincipal & { isKept: boolean }>();

  async function endEnded() {
    // Those that are open now: a call that comes while the database answers was not asked for.
    const asked = [...open];
    if (asked.length === 0) return;
    const live = await liveTokens([...new Set(asked.map(([, { tokenId }]) => tokenId))]);
    for (const [controller, { tokenId, role }] of asked)
      if (live.get(tokenId) !== role)
        controller.abort(
          new AppError('not_signed_in', 'The access token has ended, or its owner has another role now.'),
        );
  }

  const timer = setInterval(() => endEnded().catch(onError), checkMs).unref();

  return {
    /** How long one may take that its program waits for. */
    longestMs,
    /**
     * @throws rate_limited. `done` has to be called once it is answered. One that is kept is not ended by a stop: who began it
     * sees to that.
     */
    begin(caller: ApiPrincipal, { isKept = false } = {}): { controller: AbortController; done: () => void } {
      let mine = 0;
      for (const { userId } of open.values()) if (userId === caller.userId) mine++;
      if (mine >= callsPerUser)
        throw new AppError('rate_limited', `At most ${callsPerUser} calls of an account are answered at once.`, {
          retryAfterSeconds: 1,
        });
      const controller = new AbortController();
      open.set(controller, { ...caller, isKept });
      return { controller, done: () => open.delete(controller) };
    },
    close() {
      clearInterval(timer);
      for (const [controller, { isKept }] of open) if (!isKept) controller.abort(restarting());
    },
  };
}

export type CallRegistry = ReturnType<typeof createCallRegistry>;
