import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';
import { projectFileRepository } from './repository.ts';

export const indexProjectJob = defineJob({
  name: 'projects.index',
  payload: z.object({ userId: z.number(), projectId: z.number() }),
  atOnce: 2,
});

/** Enqueues, in the caller's transaction, the job that brings a project's vector store in line with its files. */
export const queueProjectIndexing = (trx: Kysely<Database>, userId: number, projectId: number, inMs = 0) =>
  enqueueOnce(trx, indexProjectJob, { userId, projectId }, { inMs });

/** Call it once a file was uploaded to the provider, or failed to be: the projects that have it are indexed again. */
export async function fileSettledInProjects(trx: Kysely<Database>, userId: number, fileId: number) {
  for (const projectId of await projectFileRepository(trx).projectsWith(userId, fileId))
    await queueProjectIndexing(trx, userId, projectId);
}
