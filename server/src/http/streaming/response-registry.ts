import type { ServerResponse } from 'node:http';
import type { Role } from '@roster/contracts/auth';
import type { SignedInUser } from '#server/security/actor';

const sessionCheckMs = 2_500;

/** Returns the sessions that are still valid, with the roles of their users. */
type LiveSessions = (sessionIds: string[]) => Promise<Map<string, Role>>;

type OpenResponse = { actor: SignedInUser; end: () => void };

/**
 * Long responses: downloads and event streams. They end when their session ends or their user's role changes. All
 * sessions are checked in one query, so the cost does not grow with the bytes sent.
 */
export function createResponseRegistry(liveSessions: LiveSessions, onError: (error: unknown) => void) {
  const open = new Map<ServerResponse, OpenResponse>();
  const sessionCheck = setInterval(() => endExpiredSessions(open, liveSessions).catch(onError), sessionCheckMs);
  sessionCheck.unref();

  return {
    /** Calls `end` when the session ends. A later call replaces an earlier one. */
    endWithSession(raw: ServerResponse, actor: SignedInUser, end: () => void) {
      // If the reader has already left, `close` will not fire again.
      if (raw.destroyed) return;
      if (!open.has(raw)) raw.once('close', () => open.delete(raw));
      open.set(raw, { actor, end });
    },
    /** Ends a session's responses at once when it ends in this process. */
    endSessions(sessionIds: string[]) {
      for (const { actor, end } of open.values()) if (sessionIds.includes(actor.sessionId)) end();
    },
    close: () => clearInterval(sessionCheck),
  };
}

export type ResponseRegistry = ReturnType<typeof createResponseRegistry>;

async function endExpiredSessions(open: ReadonlyMap<ServerResponse, OpenResponse>, liveSessions: LiveSessions) {
  // A snapshot: responses that start while the database answers were not part of the query.
  const streams = [...open.values()];
  const ids = [...new Set(streams.map(({ actor }) => actor.sessionId))];
  if (ids.length === 0) return;
  const live = await liveSessions(ids);
  for (const { actor, end } of streams) if (live.get(actor.sessionId) !== actor.role) end();
}
