import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob, type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { OpenKey } from '#server/provider/keys/open-key';
import type { Provider } from '#server/provider/provider';
import type { GeneratedFile } from '#server/provider/resources/generated-files';
import { ProviderError } from '#server/provider/transport/error';
import { generatedFileRepository } from './repository.ts';
import { type FileStorage, storeGeneratedFile } from './store.ts';

type Dependencies = FileStorage & {
  db: Kysely<Database>;
  provider: Pick<Provider, 'containers'>;
  keys: {
    openFree: OpenKey;
    noteRejected: (userId: number, notice: string, model: string | null) => Promise<void>;
  };
  log: FastifyBaseLogger;
};

/** Fetches a generated file from its container. Takes up to minutes, so only two run at once. */
const fetchGeneratedFileJob = defineJob({
  name: 'chat.fetch-made-file',
  payload: z.object({ userId: z.number(), madeFileId: z.number() }),
  atOnce: 2,
});

/** The provider deletes an idle container after this time. */
const containerMs = 20 * 60_000;
/** A queued job gets this much longer to find that out itself. */
const graceMs = 10 * 60_000;

const fetchUntil = (endedAt: string) => new Date(Date.parse(endedAt) + containerMs).toISOString();
const givenUpBefore = () => new Date(Date.now() - graceMs).toISOString();

const isGone = 'The provider no longer has it: files made by code are kept there for twenty minutes.';
const giveUpEveryMs = 60_000;

/** Call in the transaction that ends an answer: queues the fetching of its generated files. */
export async function startFetching(trx: Kysely<Database>, userId: number, messageId: number, endedAt: string) {
  for (const madeFileId of await generatedFileRepository(trx).begin(userId, messageId, fetchUntil(endedAt)))
    await enqueue(trx, fetchGeneratedFileJob, { userId, madeFileId });
}

/** The error as text, and whether a retry is pointless. */
async function failed({ keys }: Dependencies, userId: number, model: string | null, error: unknown) {
  if (error instanceof ProviderError) {
    if (error.isNotFound) return { words: isGone, isFinal: true };
    if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message, model);
    return { words: error.message, isFinal: !error.isTransient && error.code !== 'key_rejected' };
  }
  if (error instanceof AppError)
    // The user can save a key or delete files while the container exists.
    return { words: error.message, isFinal: !['no_api_key', 'quota_exceeded', 'no_space'].includes(error.code) };
  return { words: 'Roster could not store it. The log shows the operator why.', isFinal: false };
}

/** @throws if a retry may succeed */
async function fetchFile(dependencies: Dependencies, userId: number, id: number) {
  const { db, provider, keys } = dependencies;
  const rows = generatedFileRepository(db);
  const made = await rows.toFetch(userId, id);
  if (!made) return;
  const { messageId, position, filename, container, until, model, error: before } = made;
  if (new Date().toISOString() > until) return rows.fail(userId, id, before ?? isGone);
  try {
    const { bytes, content, close } = await provider.containers.open(await keys.openFree(userId, model), container);
    try {
      await storeGeneratedFile(dependencies, { id, userId, messageId, position }, { filename, bytes, content });
    } finally {
      close();
    }
  } catch (error) {
    const { words, isFinal } = await failed(dependencies, userId, model, error);
    if (isFinal) return rows.fail(userId, id, words);
    await rows.noteError(userId, id, words);
    throw error;
  }
}

/** The run of the answer that the file belongs to. */
type AnswerRun = { runId: number; userId: number; messageId: number };

const notStoredNote = 'A file generated for this answer could not be stored. The log shows the operator why.';

/** Generated files: recorded when a run announces them, and fetched from the provider's containers with the user's key. */
export function generatedFileService(dependencies: Dependencies): {
  collect: CollectGeneratedFile;
  jobs: JobHandler[];
  upkeep: ScheduledTask[];
  recover: () => Promise<void>;
} {
  const { db, log } = dependencies;

  /** Fails files whose job never reported, for example because it crashed each process. */
  async function giveUpLeft() {
    const left = await generatedFileRepository(db).giveUp(givenUpBefore(), isGone);
    if (left > 0) log.warn({ left }, 'unfetched generated files expired');
  }

  return {
    collect: (run, made, position) => collect(dependencies, run, made, position),
    jobs: [jobHandler(fetchGeneratedFileJob, ({ userId, madeFileId }) => fetchFile(dependencies, userId, madeFileId))],
    upkeep: [{ everyMs: giveUpEveryMs, run: giveUpLeft }],
    recover: giveUpLeft,
  };
}

/**
 * Records a generated file as soon as it is announced, so that a crash does not lose it. Files in a container are
 * fetched after the answer has ended; bytes in the response are stored at once. Returns an error note if recording
 * fails.
 */
export type CollectGeneratedFile = (run: AnswerRun, made: GeneratedFile, position: number) => Promise<string | null>;

async function collect(dependencies: Dependencies, run: AnswerRun, made: GeneratedFile, position: number) {
  const { db, log } = dependencies;
  const { userId, messageId } = run;
  try {
    const container = 'container' in made ? made.container : null;
    const { filename } = made;
    const id = await generatedFileRepository(db).insert(userId, { messageId, position, filename, container });
    if (id !== undefined && 'bytes' in made) await storeNow(dependencies, run, made, position, id);
    return null;
  } catch (error) {
    log.error({ err: error, runId: run.runId }, 'could not receive a generated file');
    return notStoredNote;
  }
}

async function storeNow(
  dependencies: Dependencies,
  { runId, userId, messageId }: AnswerRun,
  { filename, bytes }: { filename: string; bytes: Buffer },
  position: number,
  id: number,
) {
  async function* content() {
    yield bytes;
  }
  const { db, log } = dependencies;
  try {
    const place = { id, userId, messageId, position };
    await storeGeneratedFile(dependencies, place, { filename, bytes: bytes.length, content: content() });
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ err: error, runId }, 'could not store a generated file');
    const message = error instanceof AppError ? error.message : 'Roster could not store it.';
    await generatedFileRepository(db).fail(userId, id, message);
  }
}
