import type { VectorStoreFileError, VectorStoreFileStatus } from '@roster/contracts/public-api/vector-stores';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { Change, KnowledgeFile } from '#server/features/assistants/knowledge/repository';
import type { NumberedPage } from '#server/features/public-api/shared/list';
import { countsOf } from './repository.ts';

type State = Database['program_vector_store_files']['state'];

/** A file in a store made by a client. */
export type StoreEntry = {
  id: number;
  fileId: number;
  state: State;
  error: string | null;
  errorCode: VectorStoreFileError['code'] | null;
  attributes: string;
  chunking: string | null;
  bytes: number;
  addedAt: string;
  indexedFileId: string | null;
};

/** An entry with the state of its copy at the provider, as needed to fill the store there. */
export type EntryToSync = Omit<KnowledgeFile, 'assistantId' | 'addedAt' | 'size'> & {
  id: number;
  attributes: string;
  attributesSent: boolean;
  chunking: string | null;
};

export type NewEntry = {
  fileId: number;
  attributes: string | undefined;
  chunking: string | null;
  /** Why it can never be searched. */
  refusal: string | undefined;
};

/** Filter: a store's files, or those of one batch, with this status. */
type EntryFilter = { storeId: number; batchId: number | null; status: VectorStoreFileStatus | undefined };

const statesOf: Record<VectorStoreFileStatus, State[]> = {
  in_progress: ['waiting', 'indexing'],
  completed: ['ready'],
  failed: ['failed', 'not_served'],
  cancelled: ['cancelled'],
};

const ourCodes: readonly string[] = ['server_error', 'unsupported_file', 'invalid_file'];
const isCode = (code: string): code is VectorStoreFileError['code'] => ourCodes.includes(code);

/**
 * Start or end of a page: an entry, or the place of a file that was removed since, as by a client that removes what it
 * lists.
 */
export type EntryCursor = { of: 'entry' | 'file'; number: number };
export type EntryPage = Omit<NumberedPage, 'after' | 'before'> & {
  after: EntryCursor | null;
  before: EntryCursor | null;
};

/** Rows of one statement; databases limit its parameters. */
const atOnce = 500;

function* inPieces<Item>(items: Item[]) {
  for (let from = 0; from < items.length; from += atOnce) yield items.slice(from, from + atOnce);
}

const columnOf = { entry: 'entry.id', file: 'entry.file_id' } as const;
const columns = [
  'entry.id',
  'entry.file_id as fileId',
  'entry.state',
  'entry.error',
  'entry.error_code as errorCode',
  'entry.attributes',
  'entry.chunking',
  'entry.usage_bytes as bytes',
  'entry.added_at as addedAt',
  'entry.indexed_file_id as indexedFileId',
] as const;

const started = ({ refusal }: NewEntry, at: string) => ({
  state: refusal === undefined ? ('waiting' as const) : ('failed' as const),
  error: refusal ?? null,
  error_code: refusal === undefined ? null : ('unsupported_file' as const),
  indexed_file_id: null,
  changed_at: at,
});

/** Files in stores made by clients. */
export function storeFileRepository(db: Kysely<Database>) {
  const ofStore = (userId: number, storeId: number) =>
    db
      .selectFrom('program_vector_store_files as entry')
      .where('entry.user_id', '=', userId)
      .where('entry.store_id', '=', storeId);
  const change = (userId: number, id: number) =>
    db.updateTable('program_vector_store_files').where('user_id', '=', userId).where('id', '=', id);

  async function insertEntries(
    entries: NewEntry[],
    { userId, storeId, at }: { userId: number; storeId: number; at: string },
  ) {
    for (const some of inPieces(entries)) {
      await db
        .insertInto('program_vector_store_files')
        .values(
          some.map((entry) => ({
            ...started(entry, at),
            user_id: userId,
            store_id: storeId,
            file_id: entry.fileId,
            attributes: entry.attributes ?? '{}',
            chunking: entry.chunking,
            added_at: at,
          })),
        )
        .execute();
      const used_by = 'vector_store' as const;
      await db
        .insertInto('file_uses')
        .values(some.map(({ fileId }) => ({ file_id: fileId, user_id: userId, used_by, used_by_id: storeId })))
        .execute();
    }
  }

  return {
    /**
     * Names of the user's existing files. PostgreSQL locks them until the transaction ends, so that none is deleted.
     */
    async hold(userId: number, fileIds: number[]): Promise<Map<number, string>> {
      const names = new Map<number, string>();
      for (const ids of inPieces(fileIds)) {
        const own = db
          .selectFrom('files')
          .select(['id', 'filename'])
          .where('user_id', '=', userId)
          .where('id', 'in', ids)
          .orderBy('id');
        for (const { id, filename } of await (isPostgres(db) ? own.forKeyShare() : own).execute())
          names.set(id, filename);
      }
      return names;
    },
    async count(userId: number, storeId: number): Promise<number> {
      const { files } = await ofStore(userId, storeId)
        .select((eb) => eb.fn.countAll<number>().as('files'))
        .executeTakeFirstOrThrow();
      return files;
    },
    async find(userId: number, storeId: number, fileId: number): Promise<StoreEntry | undefined> {
      return ofStore(userId, storeId).where('entry.file_id', '=', fileId).select(columns).executeTakeFirst();
    },
    /** Reads one more than requested. */
    async page(userId: number, listed: EntryFilter, { limit, order, after, before }: EntryPage): Promise<StoreEntry[]> {
      const { storeId, batchId, status } = listed;
      let query = ofStore(userId, storeId).select(columns);
      if (batchId !== null)
        query = query.where('entry.id', 'in', (eb) =>
          eb
            .selectFrom('program_vector_store_batch_files')
            .select('entry_id')
            .where('user_id', '=', userId)
            .where('batch_id', '=', batchId),
        );
      if (status !== undefined) query = query.where('entry.state', 'in', statesOf[status]);
      if (after !== null) query = query.where(columnOf[after.of], order === 'asc' ? '>' : '<', after.number);
      if (before !== null) query = query.where(columnOf[before.of], order === 'asc' ? '<' : '>', before.number);
      return query
        .orderBy('entry.id', order)
        .limit(limit + 1)
        .execute();
    },
    /** Everything in the store, for an export. */
    async all(userId: number, storeId: number) {
      return ofStore(userId, storeId)
        .innerJoin('files', 'files.id', 'entry.file_id')
        .select([...columns, 'files.filename'])
        .orderBy('entry.id')
        .execute();
    },
    /** Entries that belong into the store at the provider. */
    async toFill(userId: number, storeId: number): Promise<EntryToSync[]> {
      const rows = await ofStore(userId, storeId)
        .innerJoin('files', 'files.id', 'entry.file_id')
        .leftJoin('provider_copies as copy', (join) =>
          join.onRef('copy.file_id', '=', 'files.id').onRef('copy.purpose', '=', 'files.purpose'),
        )
        .select([
          'entry.id',
          'entry.user_id as userId',
          'entry.file_id as fileId',
          'files.filename',
          'entry.state',
          'entry.error',
          'entry.indexed_file_id as indexedFileId',
          'entry.changed_at as changedAt',
          'entry.attributes',
          'entry.attributes_sent as attributesSent',
          'entry.chunking',
          'copy.state as copyState',
          'copy.error as copyError',
          'copy.provider_file_id as providerFileId',
        ])
        .where('entry.state', '!=', 'cancelled')
        .orderBy('entry.id')
        .execute();
      return rows.flatMap(({ state, attributesSent, copyState, copyError, providerFileId, ...row }) => {
        if (state === 'cancelled') return [];
        const copy = copyState === null ? null : { state: copyState, error: copyError, providerFileId };
        return [{ ...row, state, attributesSent: attributesSent === 1, copy }];
      });
    },
    /** Adds files, or restarts those that had failed or were cancelled. Returns their ids in the store. */
    async put(userId: number, storeId: number, entries: NewEntry[]): Promise<number[]> {
      const states = new Map<number, State>();
      for (const some of inPieces(entries))
        for (const { fileId, state } of await ofStore(userId, storeId)
          .select(['entry.file_id as fileId', 'entry.state'])
          .where(
            'entry.file_id',
            'in',
            some.map(({ fileId }) => fileId),
          )
          .execute())
          states.set(fileId, state);
      const at = new Date().toISOString();
      for (const entry of entries) {
        const state = states.get(entry.fileId);
        if (state === undefined) continue;
        const isAgain = statesOf.failed.includes(state) || state === 'cancelled';
        await db
          .updateTable('program_vector_store_files')
          .set({
            ...(isAgain && { ...started(entry, at), attributes_sent: 0, chunking: entry.chunking }),
            ...(entry.attributes !== undefined && { attributes: entry.attributes, attributes_sent: 0 }),
            user_id: userId,
          })
          .where('user_id', '=', userId)
          .where('store_id', '=', storeId)
          .where('file_id', '=', entry.fileId)
          .execute();
      }
      await insertEntries(
        entries.filter(({ fileId }) => !states.has(fileId)),
        { userId, storeId, at },
      );
      const ids: number[] = [];
      for (const some of inPieces(entries)) {
        const rows = await ofStore(userId, storeId)
          .select('entry.id')
          .where(
            'entry.file_id',
            'in',
            some.map(({ fileId }) => fileId),
          )
          .execute();
        ids.push(...rows.map(({ id }) => id));
      }
      return ids;
    },
    async remove(userId: number, storeId: number, fileId: number): Promise<boolean> {
      await db
        .deleteFrom('file_uses')
        .where('user_id', '=', userId)
        .where('file_id', '=', fileId)
        .where('used_by', '=', 'vector_store')
        .where('used_by_id', '=', storeId)
        .execute();
      const { numDeletedRows } = await db
        .deleteFrom('program_vector_store_files')
        .where('user_id', '=', userId)
        .where('store_id', '=', storeId)
        .where('file_id', '=', fileId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Only if it has not changed since it was read. */
    async change({ id, userId, changedAt }: EntryToSync, to: Change) {
      const { state, error, errorCode, indexedFileId, bytes } = to;
      const code = errorCode && isCode(errorCode) ? errorCode : 'server_error';
      await change(userId, id)
        .set({
          state,
          error,
          error_code: error === null ? null : code,
          indexed_file_id: indexedFileId,
          usage_bytes: bytes ?? 0,
          changed_at: new Date().toISOString(),
        })
        .where('changed_at', '=', changedAt)
        .where('state', '!=', 'cancelled')
        .execute();
    },
    async setAttributes(userId: number, id: number, attributes: string) {
      await change(userId, id).set({ attributes, attributes_sent: 0 }).execute();
    },
    /** Only if they are still what was sent. */
    async attributesSent({ userId, id, attributes }: EntryToSync) {
      await change(userId, id).set({ attributes_sent: 1 }).where('attributes', '=', attributes).execute();
    },
    /** Stores made by clients that contain a file. */
    async storesWith(userId: number, fileId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('program_vector_store_files')
        .select('store_id as storeId')
        .where('user_id', '=', userId)
        .where('file_id', '=', fileId)
        .execute();
      return rows.map(({ storeId }) => storeId);
    },
    /** Retries entries that failed for a reason that another key may fix. */
    async beginAgain(userId: number) {
      await db
        .updateTable('program_vector_store_files')
        .set({
          state: 'waiting',
          error: null,
          error_code: null,
          indexed_file_id: null,
          changed_at: new Date().toISOString(),
        })
        .where('user_id', '=', userId)
        .where('state', 'in', statesOf.failed)
        .where('error_code', '=', 'server_error')
        .execute();
    },

    batches: {
      async insert(userId: number, storeId: number, entryIds: number[]): Promise<number> {
        const { id } = await db
          .insertInto('program_vector_store_batches')
          .values({ user_id: userId, store_id: storeId, created_at: new Date().toISOString() })
          .returning('id')
          .executeTakeFirstOrThrow();
        for (const some of inPieces(entryIds))
          await db
            .insertInto('program_vector_store_batch_files')
            .values(some.map((entryId) => ({ batch_id: id, entry_id: entryId, user_id: userId })))
            .execute();
        return id;
      },
      async find(userId: number, storeId: number, id: number) {
        const batch = await db
          .selectFrom('program_vector_store_batches')
          .select(['id', 'created_at as createdAt', 'cancelled_at as cancelledAt'])
          .where('user_id', '=', userId)
          .where('store_id', '=', storeId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!batch) return undefined;
        const rows = await ofStore(userId, storeId)
          .innerJoin('program_vector_store_batch_files as its', 'its.entry_id', 'entry.id')
          .select((eb) => ['entry.state', eb.fn.countAll<number>().as('files')])
          .where('its.batch_id', '=', id)
          .groupBy('entry.state')
          .execute();
        return { ...batch, counts: countsOf(rows) };
      },
      /** Stops entries that are not in the store yet. */
      async cancel(userId: number, storeId: number, id: number) {
        const now = new Date().toISOString();
        await db
          .updateTable('program_vector_store_batches')
          .set({ cancelled_at: now })
          .where('user_id', '=', userId)
          .where('store_id', '=', storeId)
          .where('id', '=', id)
          .where('cancelled_at', 'is', null)
          .execute();
        await db
          .updateTable('program_vector_store_files')
          .set({ state: 'cancelled', error: null, error_code: null, indexed_file_id: null, changed_at: now })
          .where('user_id', '=', userId)
          .where('store_id', '=', storeId)
          .where('state', 'in', statesOf.in_progress)
          .where('id', 'in', (eb) =>
            eb.selectFrom('program_vector_store_batch_files').select('entry_id').where('batch_id', '=', id),
          )
          .execute();
      },
    },
  };
}

export type StoredBatch = NonNullable<Awaited<ReturnType<ReturnType<typeof storeFileRepository>['batches']['find']>>>;
