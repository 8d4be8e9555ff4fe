import type { FileCounts, VectorStoreFileStatus } from '@roster/contracts/public-api/vector-stores';
import type { Kysely } from 'kysely';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { NumberedPage } from '#server/features/public-api/shared/list';

/** A vector store as clients see it: made by a client, or an assistant's. */
export type ClientVectorStore = {
  id: number;
  assistantId: number | null;
  name: string;
  description: string | null;
  metadata: string;
  expiresAfterDays: number | null;
  expiresAt: string | null;
  lastActiveAt: string;
  createdAt: string;
  hasExpired: boolean;
  /** null while there is nothing at the provider. */
  providerStoreId: string | null;
};

type NewStore = {
  name: string;
  description: string | null;
  metadata: string;
  expiresAfterDays: number | null;
};

/** A file found in a store at the provider. */
export type IndexedEntry = { indexedFileId: string; fileId: number; filename: string; attributes: string };

export type Contents = { counts: FileCounts; bytes: number };

export const statusOf = (state: Database['program_vector_store_files']['state']): VectorStoreFileStatus => {
  switch (state) {
    case 'ready':
      return 'completed';
    case 'cancelled':
      return 'cancelled';
    case 'failed':
    case 'not_served':
      return 'failed';
    default:
      return 'in_progress';
  }
};

export const noFiles = (): FileCounts => ({ in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 });

export function countsOf(
  rows: { state: Database['program_vector_store_files']['state']; files: number }[],
): FileCounts {
  const counts = noFiles();
  for (const { state, files } of rows) {
    counts[statusOf(state)] += files;
    counts.total += files;
  }
  return counts;
}

const expiryOf = (days: number | null, from: string) =>
  days === null ? null : new Date(Date.parse(from) + days * 86_400_000).toISOString();

/** Vector stores as clients see them. Their state at the provider is in the rows that assistants use too. */
export function clientVectorStoreRepository(db: Kysely<Database>) {
  const shown = (userId: number) =>
    db
      .selectFrom('vector_stores as store')
      .leftJoin('program_vector_stores as own', 'own.store_id', 'store.id')
      .leftJoin('assistants', 'assistants.id', 'store.assistant_id')
      .select([
        'store.id',
        'store.state',
        'store.created_at as createdAt',
        'store.provider_store_id as providerStoreId',
        'store.assistant_id as assistantId',
        'assistants.name as assistantName',
        'own.name',
        'own.description',
        'own.metadata',
        'own.expires_after_days as expiresAfterDays',
        'own.expires_at as expiresAt',
        'own.last_active_at as lastActiveAt',
      ])
      .where('store.user_id', '=', userId)
      .where('store.state', '!=', 'removing')
      .where((eb) => eb.or([eb('own.store_id', 'is not', null), eb('store.assistant_id', 'is not', null)]));

  type Row = Awaited<ReturnType<ReturnType<typeof shown>['executeTakeFirstOrThrow']>>;

  const toStore = ({ state, name, assistantName, lastActiveAt, metadata, ...row }: Row): ClientVectorStore => ({
    ...row,
    name: name ?? assistantName ?? '',
    metadata: metadata ?? '{}',
    lastActiveAt: lastActiveAt ?? row.createdAt,
    hasExpired: state === 'expired' || (row.expiresAt !== null && row.expiresAt <= new Date().toISOString()),
  });

  const own = (userId: number, id: number) =>
    db.updateTable('program_vector_stores').where('user_id', '=', userId).where('store_id', '=', id);

  return {
    /** Makes other calls wait that change the user's stores. Returns false if the user no longer exists. */
    lock: (userId: number) => lockUser(db, userId),
    async insert(userId: number, id: number, store: NewStore) {
      const now = new Date().toISOString();
      const { name, description, metadata, expiresAfterDays } = store;
      await db
        .insertInto('program_vector_stores')
        .values({
          store_id: id,
          user_id: userId,
          name,
          description,
          metadata,
          expires_after_days: expiresAfterDays,
          expires_at: expiryOf(expiresAfterDays, now),
          last_active_at: now,
        })
        .execute();
    },
    async find(userId: number, id: number): Promise<ClientVectorStore | undefined> {
      const row = await shown(userId).where('store.id', '=', id).executeTakeFirst();
      return row && toStore(row);
    },
    /** By numeric ids, and by provider ids. */
    async named(userId: number, ids: readonly number[], providerIds: readonly string[]): Promise<ClientVectorStore[]> {
      const rows = await shown(userId)
        .where((eb) => eb.or([eb('store.id', 'in', [0, ...ids]), eb('store.provider_store_id', 'in', providerIds)]))
        .execute();
      return rows.map(toStore);
    },
    /** Reads one more than requested. */
    async page(userId: number, { limit, order, after, before }: NumberedPage): Promise<ClientVectorStore[]> {
      let query = shown(userId);
      if (after !== null) query = query.where('store.id', order === 'asc' ? '>' : '<', after);
      if (before !== null) query = query.where('store.id', order === 'asc' ? '<' : '>', before);
      const rows = await query
        .orderBy('store.id', order)
        .limit(limit + 1)
        .execute();
      return rows.map(toStore);
    },
    async update(userId: number, { id, lastActiveAt }: ClientVectorStore, to: Partial<NewStore>) {
      const { name, metadata, expiresAfterDays } = to;
      await own(userId, id)
        .set({
          ...(name !== undefined && { name }),
          ...(metadata !== undefined && { metadata }),
          ...(expiresAfterDays !== undefined && {
            expires_after_days: expiresAfterDays,
            expires_at: expiryOf(expiresAfterDays, lastActiveAt),
          }),
          user_id: userId,
        })
        .execute();
    },
    /** Records a use, from which the expiry counts. */
    async touch(userId: number, { id, expiresAfterDays }: Pick<ClientVectorStore, 'id' | 'expiresAfterDays'>) {
      const now = new Date().toISOString();
      await own(userId, id)
        .set({ last_active_at: now, expires_at: expiryOf(expiresAfterDays, now) })
        .execute();
    },
    /** Files by state, and bytes, of each store. */
    async contents(userId: number, stores: ClientVectorStore[]): Promise<Map<number, Contents>> {
      const made = stores.flatMap(({ id, assistantId }) => (assistantId === null ? [id] : []));
      const stored = new Map(
        stores.flatMap(({ id, assistantId }) => (assistantId === null ? [] : [[assistantId, id]])),
      );
      const ofMade =
        made.length === 0
          ? []
          : await db
              .selectFrom('program_vector_store_files')
              .select((eb) => [
                'store_id as id',
                'state',
                eb.fn.countAll<number>().as('files'),
                eb.fn.sum<number>('usage_bytes').as('bytes'),
              ])
              .where('user_id', '=', userId)
              .where('store_id', 'in', made)
              .groupBy(['store_id', 'state'])
              .execute();
      const ofStored =
        stored.size === 0
          ? []
          : await db
              .selectFrom('assistant_files')
              .innerJoin('files', 'files.id', 'assistant_files.file_id')
              .select((eb) => [
                'assistant_files.assistant_id as assistantId',
                'assistant_files.state',
                eb.fn.countAll<number>().as('files'),
                eb.fn.sum<number>('files.size').as('bytes'),
              ])
              .where('assistant_files.user_id', '=', userId)
              .where('assistant_files.assistant_id', 'in', [...stored.keys()])
              .groupBy(['assistant_files.assistant_id', 'assistant_files.state'])
              .execute();
      const rows = [...ofMade, ...ofStored.map((row) => ({ ...row, id: stored.get(row.assistantId) ?? 0 }))];
      return new Map(
        stores.map(({ id }) => {
          const its = rows.filter((row) => row.id === id);
          const ready = its.find(({ state }) => state === 'ready');
          return [id, { counts: countsOf(its), bytes: Number(ready?.bytes ?? 0) }];
        }),
      );
    },
    /** Files that the provider finds in a store. */
    async indexed(userId: number, { id, assistantId }: Pick<ClientVectorStore, 'id' | 'assistantId'>) {
      const rows =
        assistantId === null
          ? await db
              .selectFrom('program_vector_store_files as entry')
              .innerJoin('files', 'files.id', 'entry.file_id')
              .select([
                'entry.indexed_file_id as indexedFileId',
                'files.id as fileId',
                'files.filename',
                'entry.attributes',
              ])
              .where('entry.user_id', '=', userId)
              .where('entry.store_id', '=', id)
              .where('entry.state', '=', 'ready')
              .execute()
          : await db
              .selectFrom('assistant_files as entry')
              .innerJoin('files', 'files.id', 'entry.file_id')
              .select((eb) => [
                'entry.indexed_file_id as indexedFileId',
                'files.id as fileId',
                'files.filename',
                eb.val('{}').as('attributes'),
              ])
              .where('entry.user_id', '=', userId)
              .where('entry.assistant_id', '=', assistantId)
              .where('entry.state', '=', 'ready')
              .execute();
      return rows.flatMap(({ indexedFileId, ...entry }): IndexedEntry[] =>
        indexedFileId === null ? [] : [{ indexedFileId, ...entry }],
      );
    },
    /** Ids of a user's client-made stores that are still filled. */
    async open(userId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('program_vector_stores as own')
        .innerJoin('vector_stores as store', 'store.id', 'own.store_id')
        .select('store.id')
        .where('own.user_id', '=', userId)
        .where('store.state', 'in', ['creating', 'ready'])
        .orderBy('store.id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Expired stores of all users. */
    async due(now: string, limit: number): Promise<{ userId: number; id: number }[]> {
      return db
        .selectFrom('program_vector_stores as own')
        .innerJoin('vector_stores as store', 'store.id', 'own.store_id')
        .select(['own.user_id as userId', 'store.id'])
        .where('own.expires_at', '<=', now)
        .where('store.state', 'in', ['creating', 'ready'])
        .orderBy('own.expires_at')
        .limit(limit)
        .execute();
    },
  };
}
