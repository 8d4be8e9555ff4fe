import type { ServerResponse } from 'node:http';
import type { Role } from '@roster/contracts/auth';
import type { SignedIn } from '#server/security/actor';

const sessionCheckMs = 2_500;

/** Which of these sessions are still good, and the roles of their users. */
export type LiveSessions = (sessionIds: string[]) => Promise<Map<string, Role>>;

type OpenResponse = { actor: SignedIn; end: () => void };

/**
 * The responses that take their time: downloads and event streams. None goes on once its session has ended, or its user
 * has another role. The sessions are asked for together, so that the cost does not grow with what is sent.
 */
export function createResponseRegistry(liveSessions: LiveSessions, onError: (error: unknown) => void) {
  const open = new Map<ServerResponse, OpenResponse>();
  const sessionCheck = setInterval(() => endOfEndedSessions(open, liveSessions).catch(onError), sessionCheckMs);
  sessionCheck.unref();

  return {
    /** Once the session ends, so does this response, by `end`. Said again, the later one holds. */
    endWithSession(raw: ServerResponse, actor: SignedIn, end: () => void) {
      // One whose reader has left already closes no more.
      if (raw.destroyed) return;
      if (!open.has(raw)) raw.once('close', () => open.delete(raw));
      open.set(raw, { actor, end });
    },
    /** Ends those of a session at once, where the session ends in this process. */
    endSessions(sessionIds: string[]) {
      for (const { actor, end } of open.values()) if (sessionIds.includes(actor.sessionId)) end();
    },
    close: () => clearInterval(sessionCheck),
  };
}

export type ResponseRegistry = ReturnType<typeof createResponseRegistry>;

async function endOfEndedSessions(open: ReadonlyMap<ServerResponse, OpenResponse>, liveSessions: LiveSessions) {
  // Those that are open now: a response that begins while the database answers was not asked for.
  const asked = [...open.values()];
  const ids = [...new Set(asked.map(({ actor }) => actor.sessionId))];
  if (ids.length === 0) return;
  const live = await liveSessions(ids);
  for (const { actor, end } of asked) if (live.get(actor.sessionId) !== actor.role) end();
}
