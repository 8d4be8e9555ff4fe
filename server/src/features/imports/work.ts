import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { shareLockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { OpenFile, TakenFiles } from '#server/features/chat/imported-threads/files';
import type { ImportedThreads } from '#server/features/chat/imported-threads/service';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { archiveFiles } from './archive-files.ts';
import { createCounter } from './count.ts';
import { type ImportPayload, readJob, storeJob, undoJob } from './jobs.ts';
import type { LocalCopies } from './local-copy.ts';
import { filesOfPart, type PartKeepers, storePart } from './parts.ts';
import { readBatches } from './read-worker-client.ts';
import { type LeftOut, type ReadConversation, UnreadableExportError } from './readers/conversation.ts';
import { type ImportRecord, importRepository, noProgress } from './repository.ts';

/** The user's files, as far as imports need them. */
export type ImportFiles = {
  room: (userId: number) => Promise<{ files: number; bytes: number }>;
  removeImported: (userId: number, importId: number) => Promise<boolean>;
};

type Dependencies = {
  db: Kysely<Database>;
  copies: LocalCopies;
  threads: ImportedThreads;
  keepers: PartKeepers;
  files: ImportFiles;
  removeBytes: (trx: Kysely<Database>, storedKeys: string[]) => Promise<void>;
  signal: AbortSignal;
  /** How long one job imports: claims of jobs expire after five minutes. */
  sliceMs: number;
};

const failedMessage =
  'The import did not finish because of an error in Roster. What was imported is here. Please try again.';

const messagesAtOnce = 100;
const longestRestMs = 1_000;

/** Leaves as much time to the requests of others as the last transaction has taken. */
async function rest(since: number, signal: AbortSignal) {
  const ms = Math.min(longestRestMs, performance.now() - since);
  await (ms < 1 ? nextTurn() : wait(ms, undefined, { signal }));
}

/** Ends an import, in the transaction that locked it. Its bytes are not needed any more. */
export async function finish(
  trx: Kysely<Database>,
  removeBytes: Dependencies['removeBytes'],
  userId: number,
  { id, storedKey }: ImportRecord,
  end: { state: ImportRecord['state']; error?: string; kept?: number },
) {
  if (storedKey !== null) await removeBytes(trx, [storedKey]);
  await importRepository(trx).update(userId, id, { ...end, storedKey: null, finishedAt: new Date().toISOString() });
}

/** Ends it only if it is still in this state. */
const finishFrom = (
  { db, removeBytes }: Dependencies,
  { userId, importId }: ImportPayload,
  from: ImportRecord['state'],
  end: Parameters<typeof finish>[4],
) =>
  db.transaction().execute(async (trx) => {
    await shareLockUser(trx, userId);
    const record = await importRepository(trx).lock(userId, importId);
    if (record?.state === from) await finish(trx, removeBytes, userId, record, end);
  });

/** Counts what the export contains, and shows that while it reads. */
async function read(dependencies: Dependencies, payload: ImportPayload) {
  const { db, copies, threads, files, signal } = dependencies;
  const { userId, importId } = payload;
  const imports = importRepository(db);
  const record = await imports.find(userId, importId);
  if (record?.state !== 'reading') return;
  const knownFiles = (ids: string[]) => threads.knownFiles(userId, ids);
  const { counts, add } = createCounter({
    knownFiles,
    isEditor: record.withFiles,
    room: record.withFiles ? await files.room(userId) : null,
  });
  let source: ImportRecord['source'] = null;
  await copies.withCopy(record.storedKey, async (path) => {
    for await (const batch of readBatches({ path, skip: 0, isCounting: true }, signal)) {
      await add(batch);
      const conversations = batch.flatMap(({ conversation }) => conversation ?? []);
      counts.known += await threads.countImported(userId, conversations.map(threads.sourceIdOf));
      source ??= conversations[0]?.source ?? batch.find((one) => one.source)?.source ?? null;
      if ((await imports.find(userId, importId))?.state !== 'reading') return;
      await imports.update(userId, importId, { counts, source });
    }
  });
  await db.transaction().execute(async (trx) => {
    const rows = importRepository(trx);
    if ((await rows.lock(userId, importId))?.state !== 'reading') return;
    await rows.update(userId, importId, { state: 'ready', counts, source });
  });
}

/** `isWhole` is false if more of its last conversation follows. `processed`: the conversations before it. */
type Batch = { batch: ReadConversation[]; processed: number; isWhole: boolean };

type Files = { attachments: TakenFiles['attachments']; stored: number; damaged: number };

/** Stores the files of a batch before its messages. */
async function takeFiles(
  { threads }: Dependencies,
  payload: ImportPayload,
  batch: ReadConversation[],
  open: OpenFile | null,
): Promise<Files> {
  const all: Files = { attachments: new Map(), stored: 0, damaged: 0 };
  for (const { conversation, part } of batch) {
    if (!open) continue;
    const taken = conversation
      ? await threads.takeFiles(payload, conversation, open)
      : await threads.takeListed(payload, part ? filesOfPart(part) : [], open);
    for (const [id, attachment] of taken.attachments) all.attachments.set(id, attachment);
    all.stored += taken.stored;
    all.damaged += taken.damaged;
  }
  return all;
}

/** Long conversations are stored in several transactions. Parents come first, so each beginning is complete. */
function* inParts(batch: ReadConversation[], processed: number): Generator<Batch> {
  const [only] = batch;
  if (batch.length === 1 && only?.conversation) {
    const { conversation, leftOut } = only;
    for (let end = messagesAtOnce; end < conversation.messages.length; end += messagesAtOnce) {
      const beginning = { ...conversation, messages: conversation.messages.slice(0, end) };
      yield { batch: [{ conversation: beginning, leftOut }], processed, isWhole: false };
    }
  }
  yield { batch, processed, isWhole: true };
}

/**
 * Stores a batch with its progress in one transaction: an import that is interrupted anywhere continues after the last
 * batch. Returns false if the import was stopped, or another process is at it.
 */
const storeBatch = (
  { db, threads, keepers }: Dependencies,
  { userId, importId }: ImportPayload,
  { batch, processed, isWhole }: Batch,
  files: Files,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    await shareLockUser(trx, userId);
    const rows = importRepository(trx);
    const record = await rows.lock(userId, importId);
    if (record?.state !== 'importing' || record.processed !== processed) return false;
    const sum = { ...noProgress, processed: isWhole ? batch.length : 0, files: files.stored };
    const to = { userId, importId, isEditor: record.withFiles };
    const leftOut: LeftOut = {};
    if (files.damaged > 0) leftOut.damaged_files = files.damaged;
    for (const { conversation, part } of batch) {
      if (part) {
        const stored = await storePart({ keepers, threads }, trx, to, part, files.attachments);
        sum.assistants += stored.assistants;
        sum.projects += stored.projects;
        Object.assign(leftOut, stored.leftOut);
      }
      if (!conversation) continue;
      const stored = await threads.store(trx, userId, importId, conversation, files.attachments);
      sum.threads += stored.threads;
      sum.messages += stored.messages;
    }
    await rows.addProgress(userId, importId, sum);
    if (Object.keys(leftOut).length > 0) await rows.addLeftOut(userId, importId, leftOut);
    return true;
  });

/** Imports until the end or for as long as one job may take. */
async function store(dependencies: Dependencies, payload: ImportPayload) {
  const { db, copies } = dependencies;
  const { userId, importId } = payload;
  const record = await importRepository(db).find(userId, importId);
  if (record?.state !== 'importing') return;
  const isAtEnd = await copies.withCopy(record.storedKey, async (path) => {
    const archive = archiveFiles(path);
    const from = { path, processed: record.processed, open: record.withFiles ? archive.open : null };
    return storeFrom(dependencies, payload, from).finally(archive.close);
  });
  if (isAtEnd) await finishFrom(dependencies, payload, 'importing', { state: 'done' });
}

type ReadFrom = { path: string; processed: number; open: ReturnType<typeof archiveFiles>['open'] | null };

/** False: the import was cancelled, or goes on in another job. */
async function storeFrom(dependencies: Dependencies, payload: ImportPayload, from: ReadFrom): Promise<boolean> {
  const { db, threads, signal, sliceMs } = dependencies;
  const { path, open } = from;
  let { processed } = from;
  const startedAt = performance.now();
  for await (const batch of readBatches({ path, skip: processed, isCounting: false }, signal)) {
    for (const part of inParts(batch, processed)) {
      const since = performance.now();
      const taken = await takeFiles(dependencies, payload, part.batch, open);
      if (!(await storeBatch(dependencies, payload, part, taken))) return false;
      await threads.mergeSearch();
      await rest(since, signal);
    }
    processed += batch.length;
    if (performance.now() - startedAt < sliceMs) continue;
    await enqueue(db, storeJob, payload);
    return false;
  }
  return true;
}

async function undo(dependencies: Dependencies, payload: ImportPayload) {
  const { threads, keepers, files, signal } = dependencies;
  const { userId, importId } = payload;
  const { db } = dependencies;
  if ((await importRepository(db).find(userId, importId))?.state !== 'undoing') return;
  for (;;) {
    const since = performance.now();
    if (!(await threads.removeSome(userId, importId))) break;
    await threads.mergeSearch();
    await rest(since, signal);
  }
  await threads.removeAdded(userId, importId);
  for (const { removeOne } of [keepers.projects, keepers.assistants])
    while (await db.transaction().execute((trx) => removeOne(trx, userId, importId))) signal.throwIfAborted();
  while (await files.removeImported(userId, importId)) signal.throwIfAborted();
  const kept = await threads.countContinued(userId, importId);
  await finishFrom(dependencies, payload, 'undoing', { state: 'undone', kept });
}

/** The handlers of an import's jobs. */
export function importJobs(dependencies: Dependencies): JobHandler[] {
  /** Jobs of this process by key: one that takes longer than its claim must not run twice at once. */
  const running = new Map<string, Promise<void>>();

  const once = (name: string, work: (payload: ImportPayload) => Promise<void>) => async (payload: ImportPayload) => {
    const key = `${name} ${payload.importId}`;
    const current = running.get(key);
    if (current) return current;
    const started = work(payload).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };

  const failing =
    (state: 'reading' | 'importing', work: typeof read) =>
    async (payload: ImportPayload): Promise<void> => {
      try {
        await work(dependencies, payload);
      } catch (error) {
        if (!(error instanceof UnreadableExportError)) throw error;
        await finishFrom(dependencies, payload, state, { state: 'failed', error: error.message });
      }
    };
  const givenUp = (state: ImportRecord['state']) => (payload: ImportPayload) =>
    finishFrom(dependencies, payload, state, { state: 'failed', error: failedMessage });

  return [
    jobHandler(readJob, once('read', failing('reading', read)), givenUp('reading')),
    jobHandler(storeJob, once('store', failing('importing', store)), givenUp('importing')),
    jobHandler(
      undoJob,
      once('undo', (payload) => undo(dependencies, payload)),
      givenUp('undoing'),
    ),
  ];
}
