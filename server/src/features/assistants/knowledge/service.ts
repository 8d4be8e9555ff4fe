import { type AssistantFile, assistantFileLimit } from '@roster/contracts/assistants';
import { whyNotSearchable } from '@roster/contracts/searchable-files';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { assistantRepository } from '#server/features/assistants/repository';
import { enqueueOnce } from '#server/jobs/queue';
import type { FileSearch } from '#server/provider/provider';
import { notServed } from './indexing.ts';
import { queueIndexing, removeStoreJob } from './queue.ts';
import { type KnownFile, knowledgeRepository } from './repository.ts';
import { storeRepository } from './store-repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  /** Sends the copy of a file again. */
  retryCopy: (userId: number, fileId: number) => Promise<void>;
  providerName: string;
  onProblem: (error: unknown) => void;
};

/** What an assistant's files mean for an answer. */
export type Knowledge = { search: FileSearch | undefined; notes: string[] };

const noAssistant = () => new AppError('not_found', 'Assistant not found.');
const tooMany = `An assistant can have at most ${assistantFileLimit} files`;
const waitingForKey = 'It is indexed once you have added your API key in Settings.';

function noFile(): AppError {
  const message = 'This file does not exist.';
  return new AppError('not_found', message, { fields: { fileIds: message } });
}

/** The files that an assistant knows from: which there are, and how far each one is. */
export function knowledgeService({ database, retryCopy, providerName, onProblem }: Dependencies) {
  const { db } = database;
  const knowledge = knowledgeRepository(db);

  /** A file that is not in the store yet is as far as its copy at the provider. */
  function shown({ fileId, filename, size, addedAt, ...row }: KnownFile, storeError: string | null): AssistantFile {
    const file = { fileId, filename, size, addedAt };
    if (row.state !== 'waiting') return { ...file, state: row.state, error: row.error };
    const { copy } = row;
    if (copy?.state === 'failed') return { ...file, state: 'failed', error: copy.error };
    if (copy?.state === 'not_served') return { ...file, state: 'not_served', error: notServed(providerName) };
    const error = copy?.state === 'waiting_for_key' ? waitingForKey : (row.error ?? copy?.error ?? storeError);
    return { ...file, state: 'waiting', error };
  }

  async function list(userId: number, assistantId: number): Promise<AssistantFile[]> {
    if (!(await assistantRepository(db).find(userId, assistantId))) throw noAssistant();
    const store = await storeRepository(db).ofAssistant(userId, assistantId);
    return (await knowledge.of(userId, assistantId)).map((row) => shown(row, store?.error ?? null));
  }

  /** Runs `work` while no other change to this person's assistants does. */
  const alone = (userId: number, assistantId: number, work: (trx: Kysely<Database>) => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      const assistants = assistantRepository(trx);
      await assistants.lock(userId);
      if (!(await assistants.find(userId, assistantId))) throw noAssistant();
      await work(trx);
    });

  async function add(userId: number, assistantId: number, fileIds: number[]): Promise<AssistantFile[]> {
    await alone(userId, assistantId, async (trx) => {
      const inTransaction = knowledgeRepository(trx);
      const wanted = [...new Set(fileIds)];
      const names = await inTransaction.hold(userId, wanted);
      if (names.size !== wanted.length) throw noFile();
      const known = new Set((await inTransaction.of(userId, assistantId)).map(({ fileId }) => fileId));
      const added = wanted.filter((fileId) => !known.has(fileId));
      if (known.size + added.length > assistantFileLimit)
        throw new AppError('invalid_input', tooMany, { fields: { fileIds: tooMany } });
      if (added.length === 0) return;
      const files = added.map((fileId) => {
        const error = whyNotSearchable(names.get(fileId) ?? '') ?? null;
        return { fileId, state: error === null ? ('waiting' as const) : ('failed' as const), error };
      });
      await inTransaction.insert(userId, assistantId, files);
      await queueIndexing(trx, userId, assistantId);
    });
    return list(userId, assistantId);
  }

  async function remove(userId: number, assistantId: number, fileId: number) {
    await alone(userId, assistantId, async (trx) => {
      const inTransaction = knowledgeRepository(trx);
      await inTransaction.hold(userId, [fileId]);
      if (!(await inTransaction.delete(userId, assistantId, fileId)))
        throw new AppError('not_found', 'This assistant does not have this file.');
      await queueIndexing(trx, userId, assistantId);
    });
  }

  async function retry(userId: number, assistantId: number, fileId: number): Promise<AssistantFile[]> {
    const files = await list(userId, assistantId);
    const file = files.find((one) => one.fileId === fileId);
    if (!file) throw new AppError('not_found', 'This assistant does not have this file.');
    const reason = whyNotSearchable(file.filename);
    if (reason !== undefined) throw new AppError('unsupported_media_type', reason);
    await retryCopy(userId, fileId);
    await db.transaction().execute(async (trx) => {
      await knowledgeRepository(trx).beginAgain(userId, { assistantId, fileId });
      await storeRepository(trx).forgetErrors(userId, assistantId);
      await queueIndexing(trx, userId, assistantId);
    });
    return list(userId, assistantId);
  }

  function notesOn(files: { state: string }[]): string[] {
    const count = (...states: string[]) => files.filter(({ state }) => states.includes(state)).length;
    const onTheWay = count('waiting', 'indexing');
    if (onTheWay > 0)
      return [
        onTheWay === 1
          ? 'One file of this assistant is still being indexed and was not searched.'
          : `${onTheWay} files of this assistant are still being indexed and were not searched.`,
      ];
    if (count('not_served') > 0)
      return [`The assistant’s files could not be searched: ${providerName} has no file search.`];
    return ['The assistant’s files could not be searched: see its files in Settings for the reason.'];
  }

  return {
    list,
    add,
    remove,
    retry,

    /** Asked for with each message to an assistant that has files: one look at the database. */
    async forAnswer(userId: number, assistantId: number): Promise<Knowledge> {
      const files = await knowledge.forAnswer(userId, assistantId);
      const ready = files.filter(({ state }) => state === 'ready');
      const [first] = ready;
      if (!first || first.storeId === null)
        return { search: undefined, notes: files.length === 0 ? [] : notesOn(files) };
      const names = new Map(
        ready.flatMap(({ indexedFileId, filename }) => (indexedFileId === null ? [] : [[indexedFileId, filename]])),
      );
      const onRefused = () => void queueIndexing(db, userId, assistantId).catch(onProblem);
      return { search: { storeId: first.storeId, names, onRefused }, notes: [] };
    },

    /** With another key everything is looked at again, removals included. */
    async keySaved(userId: number) {
      await db.transaction().execute(async (trx) => {
        await knowledgeRepository(trx).beginAgain(userId);
        await storeRepository(trx).forgetErrors(userId);
        const withFiles = await knowledgeRepository(trx).assistantsWithFiles(userId);
        const stores = await storeRepository(trx).all(userId);
        const withStore = stores.flatMap(({ assistantId }) => (assistantId === null ? [] : [assistantId]));
        for (const assistantId of new Set([...withFiles, ...withStore])) await queueIndexing(trx, userId, assistantId);
        for (const { id: storeId, state } of stores)
          if (state === 'removing') await enqueueOnce(trx, removeStoreJob, { userId, storeId });
      });
    },
  };
}

export type KnowledgeService = ReturnType<typeof knowledgeService>;
