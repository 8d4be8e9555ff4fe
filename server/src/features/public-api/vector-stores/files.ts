import { setTimeout as wait } from 'node:timers/promises';
import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import {
  type ApiFileBatch,
  type ApiVectorStoreFile,
  type Attributes,
  type BatchDraft,
  type Chunking,
  type FileDraft,
  type FilePage,
  storeFileLimit,
} from '@roster/contracts/public-api/vector-stores';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { listAnswer } from '#server/features/public-api/shared/list';
import { PublicApiError, resourceNotFound } from '#server/http/public-api/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { StoreAccess } from './access.ts';
import {
  type EntryCursor,
  type EntryPage,
  type NewEntry,
  type StoreEntry,
  storeFileRepository,
} from './file-repository.ts';
import { enqueueSync } from './job.ts';
import { type ClientVectorStore, clientVectorStoreRepository, statusOf } from './repository.ts';
import { entryOf, serializeBatch, serializeFile } from './serializers.ts';

type Dependencies = {
  db: Kysely<Database>;
  ids: () => Promise<Ids>;
  access: StoreAccess;
  fileIds: FileIds;
  /** Files of an assistant, in the order in which they were added. */
  assistantFiles: (userId: number, assistantId: number) => Promise<AssistantFile[]>;
  /** Syncs a store now. Resolves to false if that is already in progress. */
  fillNow: (userId: number, storeId: number) => Promise<boolean>;
};

/** How long a call that changes attributes waits for the provider. */
const patienceMs = 5_000;
/** Delay while the store is already being filled. */
const busyMs = 100;

const noFile = (id: string) =>
  new PublicApiError('not_found', `No such File object: ${id.slice(0, 100)}`, { param: 'file_id' });
const notInStore = (fileId: string, storeId: string) =>
  new PublicApiError(
    'not_found',
    `No file found with id '${fileId.slice(0, 100)}' in vector store '${storeId.slice(0, 100)}'.`,
    {},
  );

const serializeAttributes = (attributes: Attributes | null | undefined) =>
  attributes ? JSON.stringify(attributes) : undefined;
const storedChunking = (chunking: Chunking | null | undefined) => (chunking ? JSON.stringify(chunking) : null);

/** Files that a client names, each once; if one is named twice, the last entry counts. */
type NamedFile = Pick<FileDraft, 'file_id' | 'attributes' | 'chunking_strategy'>;

/**
 * Adds files to a store; `numbers` has the ids of the named files. Call in a transaction that has locked the user.
 * Returns their ids in the store.
 * @throws 404, 400
 */
export async function putFiles(
  trx: Kysely<Database>,
  numbers: ReadonlyMap<string, number>,
  userId: number,
  store: Pick<ClientVectorStore, 'id' | 'expiresAfterDays'>,
  named: NamedFile[],
): Promise<number[]> {
  const files = storeFileRepository(trx);
  const wanted = new Map<number, NamedFile>();
  for (const file of named) {
    const fileId = numbers.get(file.file_id);
    if (fileId === undefined) throw noFile(file.file_id);
    wanted.set(fileId, file);
  }
  const names = await files.hold(userId, [...wanted.keys()]);
  const entries = [...wanted].map(([fileId, file]): NewEntry => {
    const filename = names.get(fileId);
    if (filename === undefined) throw noFile(file.file_id);
    return {
      fileId,
      attributes: serializeAttributes(file.attributes),
      chunking: storedChunking(file.chunking_strategy),
      refusal: unsearchableReason(filename),
    };
  });
  const entryIds = await files.put(userId, store.id, entries);
  if ((await files.count(userId, store.id)) > storeFileLimit)
    throw new PublicApiError('invalid_input', `A vector store can have at most ${storeFileLimit} files.`, {
      param: 'file_ids',
    });
  await clientVectorStoreRepository(trx).touch(userId, store);
  await enqueueSync(trx, userId, store.id);
  return entryIds;
}

/**
 * A page of a list that is short enough to be read whole, oldest first; its entries have the numbers of their files.
 */
function pageOf(all: StoreEntry[], { limit, order, after, before }: EntryPage): StoreEntry[] {
  const ordered = order === 'asc' ? all : all.toReversed();
  const indexOf = ({ number }: EntryCursor) => {
    const index = ordered.findIndex(({ fileId }) => (order === 'asc' ? fileId >= number : fileId <= number));
    const exact = ordered.findIndex(({ fileId }) => fileId === number);
    if (exact >= 0) return { from: exact + 1, to: exact };
    return index < 0 ? { from: ordered.length, to: ordered.length } : { from: index, to: index };
  };
  const from = after === null ? 0 : indexOf(after).from;
  const to = before === null ? ordered.length : indexOf(before).to;
  return ordered.slice(from, Math.min(to, from + limit + 1));
}

/** Files of vector stores. */
export function storeFileService(dependencies: Dependencies) {
  const { db, ids, access, fileIds, assistantFiles, fillNow } = dependencies;
  const files = storeFileRepository(db);

  const numberOf = async (userId: number, fileId: string) => (await fileIds.numbersOf(userId, [fileId])).get(fileId);

  /** @throws 404 */
  async function entryIn(userId: number, storeId: string, fileId: string) {
    const store = await access.find(db, userId, storeId);
    const number = await numberOf(userId, fileId);
    const entry = number === undefined ? undefined : await findEntry(userId, store, number);
    if (!entry) throw notInStore(fileId, storeId);
    return { store, entry };
  }

  async function findEntry(userId: number, { id, assistantId }: ClientVectorStore, fileId: number) {
    if (assistantId === null) return files.find(userId, id, fileId);
    const file = (await assistantFiles(userId, assistantId)).find((one) => one.fileId === fileId);
    return file && entryOf(file);
  }

  /** Runs `work` while no other call changes the user's stores. */
  const change = <Result>(
    userId: number,
    storeId: string,
    work: (trx: Kysely<Database>, store: ClientVectorStore) => Promise<Result>,
  ): Promise<Result> =>
    db.transaction().execute(async (trx) => {
      await clientVectorStoreRepository(trx).lock(userId);
      return work(trx, access.ofClient(await access.live(trx, userId, storeId)));
    });

  /** Failures, and anything slower, are left to the job. */
  async function tellNow(userId: number, storeId: number) {
    const giveUpAt = performance.now() + patienceMs;
    const answer = (async () => {
      while (!(await fillNow(userId, storeId)) && performance.now() < giveUpAt) await wait(busyMs);
    })();
    await settlesWithin(
      patienceMs,
      answer.catch(() => undefined),
    );
  }

  async function shown(userId: number, store: ClientVectorStore, fileId: number): Promise<ApiVectorStoreFile> {
    const entry = await findEntry(userId, store, fileId);
    const encoder = await ids();
    if (!entry) throw notInStore(encoder.encode('file', fileId), encoder.encode('vs', store.id));
    return serializeFile(encoder, store.id, entry);
  }

  async function list(userId: number, store: ClientVectorStore, batchId: number | null, query: FilePage) {
    const encoder = await ids();
    const placeOf = async (id: string | undefined): Promise<EntryCursor | null> => {
      if (id === undefined) return null;
      const number = await fileIds.placeOf(userId, id);
      if (number === undefined) throw notInStore(id, encoder.encode('vs', store.id));
      const entry = await findEntry(userId, store, number);
      return entry ? { of: 'entry', number: entry.id } : { of: 'file', number };
    };
    const { limit, order, filter: status } = query;
    const [after, before] = [await placeOf(query.after), await placeOf(query.before)];
    const isBack = before !== null;
    // Read from its end, to get the items just before an id.
    const page: EntryPage = isBack
      ? { limit, order: order === 'asc' ? 'desc' : 'asc', after: before, before: after }
      : { limit, order, after, before };
    const found =
      store.assistantId === null
        ? await files.page(userId, { storeId: store.id, batchId, status }, page)
        : pageOf(
            (await assistantFiles(userId, store.assistantId))
              .map(entryOf)
              .filter(({ state }) => status === undefined || statusOf(state) === status),
            page,
          );
    return listAnswer(
      found.map((entry) => serializeFile(encoder, store.id, entry)),
      limit,
      isBack,
    );
  }

  async function batchIn(userId: number, storeId: string, batchId: string) {
    const store = await access.find(db, userId, storeId);
    const number = (await ids()).decode('vsfb', batchId);
    const batch = number === undefined ? undefined : await files.batches.find(userId, store.id, number);
    if (!batch) throw resourceNotFound('vector store file batch', batchId);
    return { store, batch };
  }

  return {
    async create(userId: number, storeId: string, draft: FileDraft): Promise<ApiVectorStoreFile> {
      access.ofClient(await access.live(db, userId, storeId));
      await access.served(userId);
      const numbers = await fileIds.numbersOf(userId, [draft.file_id]);
      const store = await change(userId, storeId, async (trx, found) => {
        await putFiles(trx, numbers, userId, found, [draft]);
        return found;
      });
      return shown(userId, store, numbers.get(draft.file_id) ?? 0);
    },

    list: async (userId: number, storeId: string, query: FilePage) =>
      list(userId, await access.find(db, userId, storeId), null, query),

    async get(userId: number, storeId: string, fileId: string): Promise<ApiVectorStoreFile> {
      const { store, entry } = await entryIn(userId, storeId, fileId);
      return serializeFile(await ids(), store.id, entry);
    },

    /** Tells the provider at once if it answers, else later: it filters the searches. */
    async update(userId: number, storeId: string, fileId: string, attributes: Attributes | null) {
      const { store, entry } = await entryIn(userId, storeId, fileId);
      await change(userId, storeId, async (trx) => {
        await storeFileRepository(trx).setAttributes(userId, entry.id, serializeAttributes(attributes) ?? '{}');
        await enqueueSync(trx, userId, store.id, patienceMs);
      });
      await tellNow(userId, store.id);
      return shown(userId, store, entry.fileId);
    },

    async remove(userId: number, storeId: string, fileId: string) {
      const { entry } = await entryIn(userId, storeId, fileId);
      await change(userId, storeId, async (trx, store) => {
        const inTransaction = storeFileRepository(trx);
        await inTransaction.hold(userId, [entry.fileId]);
        if (!(await inTransaction.remove(userId, store.id, entry.fileId))) throw notInStore(fileId, storeId);
        await clientVectorStoreRepository(trx).touch(userId, store);
        await enqueueSync(trx, userId, store.id);
      });
      return { id: fileId, object: 'vector_store.file.deleted' as const, deleted: true as const };
    },

    entryIn,

    batches: {
      async create(userId: number, storeId: string, draft: BatchDraft): Promise<ApiFileBatch> {
        access.ofClient(await access.live(db, userId, storeId));
        await access.served(userId);
        const encoder = await ids();
        const { attributes, chunking_strategy } = draft;
        const named =
          draft.files ?? (draft.file_ids ?? []).map((file_id) => ({ file_id, attributes, chunking_strategy }));
        const numbers = await fileIds.numbersOf(
          userId,
          named.map(({ file_id }) => file_id),
        );
        const { store, id } = await change(userId, storeId, async (trx, found) => {
          const entryIds = await putFiles(trx, numbers, userId, found, named);
          return { store: found, id: await storeFileRepository(trx).batches.insert(userId, found.id, entryIds) };
        });
        const batch = await files.batches.find(userId, store.id, id);
        if (!batch) throw resourceNotFound('vector store file batch', encoder.encode('vsfb', id));
        return serializeBatch(encoder, store.id, batch);
      },

      async get(userId: number, storeId: string, batchId: string): Promise<ApiFileBatch> {
        const { store, batch } = await batchIn(userId, storeId, batchId);
        return serializeBatch(await ids(), store.id, batch);
      },

      async cancel(userId: number, storeId: string, batchId: string): Promise<ApiFileBatch> {
        const { batch } = await batchIn(userId, storeId, batchId);
        const { store, now } = await change(userId, storeId, async (trx, found) => {
          const { batches } = storeFileRepository(trx);
          const current = await batches.find(userId, found.id, batch.id);
          // A batch whose files are all done stays unchanged.
          if (current && current.counts.in_progress > 0) {
            await batches.cancel(userId, found.id, batch.id);
            await enqueueSync(trx, userId, found.id);
          }
          return { store: found, now: await batches.find(userId, found.id, batch.id) };
        });
        return serializeBatch(await ids(), store.id, now ?? batch);
      },

      async files(userId: number, storeId: string, batchId: string, query: FilePage) {
        const { store, batch } = await batchIn(userId, storeId, batchId);
        return list(userId, store, batch.id, query);
      },
    },
  };
}
