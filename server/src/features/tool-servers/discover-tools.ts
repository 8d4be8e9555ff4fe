import type { Kysely } from 'kysely';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Database } from '#server/db/schema';
import { jobHandler } from '#server/jobs/define';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import type { ServerConnection } from './connection.ts';
import { listTools } from './mcp/tools.ts';
import type { OpenApiDiscovery } from './openapi/discover.ts';
import { descriptionRepository } from './openapi/repository.ts';
import { SignInRequiredError, ToolServerError } from './shared/failure.ts';
import { type StoredServer, toolServerRepository } from './shared/repository.ts';
import { lookJob, requestDiscovery } from './shared/request-discovery.ts';
import { toolSelectionRepository } from './shared/tool-selection-repository.ts';

/** Bytes of one page of a list. */
const bodyLimit = 8 * 1024 * 1024;
const dayMs = 24 * hourMs;
const staleAtOnce = 20;

type Dependencies = { db: Kysely<Database>; reach: ServerConnection; openApi: OpenApiDiscovery; times: ToolTimeouts };

/** Asks a server which tools it has. A server's fault becomes its state, in words; its tools then stay as they were. */
export function toolDiscovery({ db, reach, openApi, times }: Dependencies) {
  const closing = new AbortController();

  async function look({ userId, serverId }: { userId: number; serverId: number }) {
    const server = await toolServerRepository(db).own(userId, serverId);
    if (server?.state !== 'waiting') return;
    const found = await ask(server).catch((error: unknown) => {
      // Asked again after the next start.
      if (closing.signal.aborted || !(error instanceof ToolServerError)) throw error;
      // The row already says so.
      if (error instanceof SignInRequiredError) return { state: 'sign_in' as const, notice: null };
      return { state: 'failed' as const, notice: error.message };
    });
    await db.transaction().execute(async (trx) => {
      const counts = await toolServerRepository(trx).looked(server, found);
      if (counts && 'leftOut' in found) await descriptionRepository(trx).noteLeftOut(server, found);
    });
  }

  /** Every process that asked the server has died, or the database failed: without this it would wait forever. */
  async function giveUp({ userId, serverId }: { userId: number; serverId: number }) {
    const server = await toolServerRepository(db).own(userId, serverId);
    if (server?.state !== 'waiting') return;
    const notice =
      'Roster was interrupted each time it asked this server for its tools. Ask again, or look into its log.';
    await db.transaction().execute((trx) => toolServerRepository(trx).looked(server, { state: 'failed', notice }));
  }

  async function ask(server: StoredServer) {
    if (!(await toolServerRepository(db).mayRun(server.user_id, server.id)))
      throw new ToolServerError('Commands run for administrators only.', { mayHaveRun: false });
    if (server.kind === 'openapi') return openApi({ withinMs: times.lookMs, signal: closing.signal }, server);
    const wrapped = server.auth_type === 'none' ? null : await toolSelectionRepository(db).dataKey(server.user_id);
    const withinMs = server.kind === 'command' ? times.startMs : times.lookMs;
    const bounds = { withinMs, bodyLimit, signal: closing.signal };
    const found = await reach.inSession({ ...server, wrapped }, server.user_id, bounds, listTools);
    return { state: 'ready' as const, ...found };
  }

  /** Checks servers in use once a day, so that changes are noticed without anybody asking. */
  async function refreshStale() {
    const before = new Date(Date.now() - dayMs).toISOString();
    const stale = await toolServerRepository(db).stale(before, staleAtOnce);
    for (const { id, user_id } of stale) await db.transaction().execute((trx) => requestDiscovery(trx, user_id, id));
  }

  const refreshTask: ScheduledTask = { everyMs: hourMs, atStart: true, run: refreshStale };
  return {
    jobs: [jobHandler(lookJob, look, giveUp)],
    upkeep: [refreshTask],
    stop: () => closing.abort(new Error('Roster is stopping')),
  };
}
