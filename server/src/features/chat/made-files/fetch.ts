import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { fetchMadeFileJob, fetchUntil, givenUpBefore } from './job.ts';
import { madeFileRepository } from './repository.ts';
import { type Keeping, keepFile } from './store.ts';

type Dependencies = Keeping & {
  db: Kysely<Database>;
  provider: Pick<Provider, 'containers'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  log: FastifyBaseLogger;
};

const isGone = 'The provider does not have it any more: what code makes is kept there for twenty minutes.';
const giveUpEveryMs = 60_000;

/** In the transaction that ends an answer: what it has made is fetched at once. */
export async function beginFetching(trx: Kysely<Database>, userId: number, messageId: number, endedAt: string) {
  for (const madeFileId of await madeFileRepository(trx).begin(userId, messageId, fetchUntil(endedAt)))
    await enqueue(trx, fetchMadeFileJob, { userId, madeFileId });
}

/** What went wrong in words, and whether another try may find it otherwise. */
async function failed({ keys }: Dependencies, userId: number, error: unknown) {
  if (error instanceof ProviderError) {
    if (error.isNotFound) return { words: isGone, isFinal: true };
    if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message);
    return { words: error.message, isFinal: !error.isTransient && error.code !== 'key_rejected' };
  }
  if (error instanceof AppError)
    // A key can be saved, and files be deleted, while the container is there.
    return { words: error.message, isFinal: !['no_api_key', 'quota_exceeded', 'no_space'].includes(error.code) };
  return { words: 'Roster could not store it. The operator finds the reason in the log.', isFinal: false };
}

/** @throws where it is worth another try */
async function fetchFile(dependencies: Dependencies, userId: number, id: number) {
  const { db, provider, keys } = dependencies;
  const rows = madeFileRepository(db);
  const made = await rows.toFetch(userId, id);
  if (!made) return;
  const { messageId, position, filename, container, until, error: before } = made;
  if (new Date().toISOString() > until) return rows.fail(userId, id, before ?? isGone);
  try {
    const { bytes, content, close } = await provider.containers.open(await keys.open(userId), container);
    try {
      await keepFile(dependencies, { id, userId, messageId, position }, { filename, bytes, content });
    } finally {
      close();
    }
  } catch (error) {
    const { words, isFinal } = await failed(dependencies, userId, error);
    if (isFinal) return rows.fail(userId, id, words);
    await rows.noteError(userId, id, words);
    throw error;
  }
}

/** Brings what code has made to where it stays, with the key of the person for whom it did. */
export function madeFileFetching(dependencies: Dependencies): {
  jobs: JobHandler[];
  upkeep: ScheduledTask[];
  recover: () => Promise<void>;
} {
  const { db, log } = dependencies;

  /** A job that has killed each process that took it says nothing itself. */
  async function giveUpLeft() {
    const left = await madeFileRepository(db).giveUp(givenUpBefore(), isGone);
    if (left > 0) log.warn({ left }, 'made files that nobody had fetched were given up');
  }

  return {
    jobs: [jobHandler(fetchMadeFileJob, ({ userId, madeFileId }) => fetchFile(dependencies, userId, madeFileId))],
    upkeep: [{ everyMs: giveUpEveryMs, run: giveUpLeft }],
    recover: giveUpLeft,
  };
}
