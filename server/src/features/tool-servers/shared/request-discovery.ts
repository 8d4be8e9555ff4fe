import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { toolServerRepository } from './repository.ts';

export const lookJob = defineJob({
  name: 'look_at_tool_server',
  payload: z.strictObject({ userId: z.number().int(), serverId: z.number().int() }),
  // Faults of a server are reported, not retried. These attempts are for a process that dies over one.
  attempts: 3,
  // A server that never answers must hold up neither other work nor other users' servers.
  waits: true,
  atOnce: 16,
  perPerson: 2,
});

/**
 * Records that a server is being asked, and enqueues the job, in the caller's transaction. Returns false if there is no
 * such server.
 */
export async function requestDiscovery(trx: Kysely<Database>, userId: number, serverId: number): Promise<boolean> {
  if (!(await toolServerRepository(trx).wait(userId, serverId))) return false;
  await enqueue(trx, lookJob, { userId, serverId });
  return true;
}
