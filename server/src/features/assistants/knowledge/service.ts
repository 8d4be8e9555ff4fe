import { type AssistantFile, assistantFileLimit } from '@roster/contracts/assistants/assistants';
import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { assistantRepository } from '#server/features/assistants/shared/repository';
import type { RecordVersion } from '#server/features/feature';
import { enqueueOnce } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { FileSearch } from '#server/provider/provider';
import { queueIndexing, removeStoreJob } from './queue.ts';
import { notServedMessage } from './reconcile.ts';
import { type KnowledgeFile, knowledgeRepository } from './repository.ts';
import { toNewFiles } from './set-files.ts';
import { storeRepository } from './store-repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  versions: { record: RecordVersion };
  /** Uploads a file to the provider again. */
  retryCopy: (userId: number, fileId: number) => Promise<void>;
  providerName: string;
  onProblem: (error: unknown) => void;
};

/** An assistant’s knowledge as used by an answer. */
export type Knowledge = { search: FileSearch | undefined; notes: string[] };

const noAssistant = () => new AppError('not_found', 'Assistant not found.');
const notItsFile = () => new AppError('not_found', 'This assistant does not have this file.');
const tooMany = `An assistant can have at most ${assistantFileLimit} files`;
const waitingForKey = 'It will be indexed once you add your API key in Settings.';

function noFile(): AppError {
  const message = 'This file does not exist.';
  return new AppError('not_found', message, { fields: { fileIds: message } });
}

/** A file that is not in the store yet shows the state of its provider copy. */
function toAssistantFile(row: KnowledgeFile, storeError: string | null, providerName: string): AssistantFile {
  const { fileId, filename, size, addedAt, copy } = row;
  const file = { fileId, filename, size, addedAt };
  if (row.state !== 'waiting') return { ...file, state: row.state, error: row.error };
  if (copy?.state === 'failed') return { ...file, state: 'failed', error: copy.error };
  if (copy?.state === 'not_served') return { ...file, state: 'not_served', error: notServedMessage(providerName) };
  const error = copy?.state === 'waiting_for_key' ? waitingForKey : (row.error ?? copy?.error ?? storeError);
  return { ...file, state: 'waiting', error };
}

async function list({ database, providerName }: Dependencies, userId: number, assistantId: number) {
  const { db } = database;
  if (!(await assistantRepository(db).find(userId, assistantId))) throw noAssistant();
  const store = await storeRepository(db).ofAssistant(userId, assistantId);
  const rows = await knowledgeRepository(db).of(userId, assistantId);
  return rows.map((row) => toAssistantFile(row, store?.error ?? null, providerName));
}

/** Runs `work` while this user’s assistants are locked, and records its changes as a version. */
const recordChange = (
  { database, versions }: Dependencies,
  userId: number,
  assistantId: number,
  work: (trx: Kysely<Database>) => Promise<void>,
) =>
  database.db.transaction().execute(async (trx) => {
    const assistants = assistantRepository(trx);
    await assistants.lock(userId);
    if (!(await assistants.find(userId, assistantId))) throw noAssistant();
    await versions.record(trx, { userId, assistantId, origin: { kind: 'person' } }, () => work(trx));
  });

async function add(dependencies: Dependencies, userId: number, assistantId: number, fileIds: number[]) {
  await recordChange(dependencies, userId, assistantId, async (trx) => {
    const knowledge = knowledgeRepository(trx);
    const wanted = [...new Set(fileIds)];
    const names = await knowledge.hold(userId, wanted);
    if (names.size !== wanted.length) throw noFile();
    const current = new Set((await knowledge.of(userId, assistantId)).map(({ fileId }) => fileId));
    const added = wanted.filter((fileId) => !current.has(fileId));
    if (current.size + added.length > assistantFileLimit)
      throw new AppError('invalid_input', tooMany, { fields: { fileIds: tooMany } });
    if (added.length === 0) return;
    const named = new Map(added.map((fileId) => [fileId, names.get(fileId) ?? '']));
    await knowledge.insert(userId, assistantId, toNewFiles(named));
    await queueIndexing(trx, userId, assistantId);
  });
  return list(dependencies, userId, assistantId);
}

const remove = (dependencies: Dependencies, userId: number, assistantId: number, fileId: number) =>
  recordChange(dependencies, userId, assistantId, async (trx) => {
    const knowledge = knowledgeRepository(trx);
    await knowledge.hold(userId, [fileId]);
    if (!(await knowledge.delete(userId, assistantId, [fileId]))) throw notItsFile();
    await queueIndexing(trx, userId, assistantId);
  });

async function retry(dependencies: Dependencies, userId: number, assistantId: number, fileId: number) {
  const files = await list(dependencies, userId, assistantId);
  const file = files.find((one) => one.fileId === fileId);
  if (!file) throw notItsFile();
  const reason = unsearchableReason(file.filename);
  if (reason !== undefined) throw new AppError('unsupported_media_type', reason);
  await dependencies.retryCopy(userId, fileId);
  await dependencies.database.db.transaction().execute(async (trx) => {
    await knowledgeRepository(trx).restart(userId, { assistantId, fileId });
    await storeRepository(trx).forgetErrors(userId, assistantId);
    await queueIndexing(trx, userId, assistantId);
  });
  return list(dependencies, userId, assistantId);
}

function unsearchedNotes(files: { state: string }[], providerName: string): string[] {
  const count = (...states: string[]) => files.filter(({ state }) => states.includes(state)).length;
  const inProgress = count('waiting', 'indexing');
  if (inProgress > 0)
    return [
      inProgress === 1
        ? 'One file of this assistant is still being indexed and was not searched.'
        : `${inProgress} files of this assistant are still being indexed and were not searched.`,
    ];
  if (count('not_served') > 0)
    return [`The assistant’s files could not be searched: ${providerName} has no file search.`];
  return ['The assistant’s files could not be searched: see its files in Settings for the reason.'];
}

async function forAnswer(dependencies: Dependencies, userId: number, assistantId: number): Promise<Knowledge> {
  const { database, providerName, onProblem } = dependencies;
  const files = await knowledgeRepository(database.db).forAnswer(userId, assistantId);
  const ready = files.filter(({ state }) => state === 'ready');
  const [first] = ready;
  if (!first || first.storeId === null)
    return { search: undefined, notes: files.length === 0 ? [] : unsearchedNotes(files, providerName) };
  const searched = new Map(
    ready.flatMap(({ indexedFileId, fileId, filename }) =>
      indexedFileId === null ? [] : [[indexedFileId, { fileId, filename }]],
    ),
  );
  const onRefused = () => void queueIndexing(database.db, userId, assistantId).catch(onProblem);
  return { search: { storeIds: [first.storeId], files: searched, onRefused }, notes: [] };
}

/** Called after a key was saved: checks all files and stores again, including removals. */
async function recheckAll(trx: Kysely<Database>, userId: number) {
  await knowledgeRepository(trx).restart(userId);
  await storeRepository(trx).forgetErrors(userId);
  const withFiles = await knowledgeRepository(trx).assistantsWithFiles(userId);
  const stores = await storeRepository(trx).all(userId);
  const withStore = stores.flatMap(({ assistantId }) => (assistantId === null ? [] : [assistantId]));
  for (const assistantId of new Set([...withFiles, ...withStore])) await queueIndexing(trx, userId, assistantId);
  for (const { id: storeId, state } of stores)
    if (state === 'removing' || state === 'expired') await enqueueOnce(trx, removeStoreJob, { userId, storeId });
}

export function knowledgeService(dependencies: Dependencies) {
  return {
    list: (userId: number, assistantId: number): Promise<AssistantFile[]> => list(dependencies, userId, assistantId),
    add: (userId: number, assistantId: number, fileIds: number[]) => add(dependencies, userId, assistantId, fileIds),
    remove: (userId: number, assistantId: number, fileId: number) => remove(dependencies, userId, assistantId, fileId),
    retry: (userId: number, assistantId: number, fileId: number) => retry(dependencies, userId, assistantId, fileId),
    /** Called for each message to an assistant with files; takes one query. */
    forAnswer: (userId: number, assistantId: number) => forAnswer(dependencies, userId, assistantId),
    /** Called when the provider has lost an assistant’s store, which is then created again. */
    lookAgain: (userId: number, assistantId: number) => queueIndexing(dependencies.database.db, userId, assistantId),
    keySaved: (userId: number) => dependencies.database.db.transaction().execute((trx) => recheckAll(trx, userId)),
  };
}

export type KnowledgeService = ReturnType<typeof knowledgeService>;
