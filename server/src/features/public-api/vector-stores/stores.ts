import type { ApiPage } from '@roster/contracts/public-api/list';
import type { ApiVectorStore, StoreChange, StoreDraft } from '@roster/contracts/public-api/vector-stores';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { listAnswer, numberedPage } from '#server/features/public-api/shared/list';
import type { StoreAccess } from './access.ts';
import { putFiles } from './files.ts';
import { type ClientVectorStore, clientVectorStoreRepository } from './repository.ts';
import { serializeStore } from './serializers.ts';

type Dependencies = {
  db: Kysely<Database>;
  ids: () => Promise<Ids>;
  access: StoreAccess;
  fileIds: FileIds;
  /** The store at the provider. */
  atProvider: {
    insert: (trx: Kysely<Database>, userId: number) => Promise<number>;
    release: (trx: Kysely<Database>, userId: number, storeId: number) => Promise<void>;
    expire: (trx: Kysely<Database>, userId: number, storeId: number) => Promise<void>;
  };
};

const expiredAtOnce = 100;

/** Vector stores of clients and of assistants. */
export function storeService({ db, ids, access, fileIds, atProvider }: Dependencies) {
  const stores = clientVectorStoreRepository(db);

  async function shown(userId: number, some: ClientVectorStore[]): Promise<ApiVectorStore[]> {
    const [encoder, contents] = [await ids(), await stores.contents(userId, some)];
    return some.map((store) => serializeStore(encoder, store, contents.get(store.id)));
  }

  async function one(userId: number, id: string): Promise<ApiVectorStore> {
    const store = await access.find(db, userId, id);
    const contents = await stores.contents(userId, [store]);
    return serializeStore(await ids(), store, contents.get(store.id));
  }

  return {
    async create(userId: number, draft: StoreDraft): Promise<ApiVectorStore> {
      await access.served(userId);
      const { name, description, metadata, expires_after, chunking_strategy } = draft;
      const fileNames = draft.file_ids ?? [];
      const numbers = await fileIds.numbersOf(userId, fileNames);
      const storeId = await db.transaction().execute(async (trx) => {
        const inTransaction = clientVectorStoreRepository(trx);
        await inTransaction.lock(userId);
        const id = await atProvider.insert(trx, userId);
        const expiresAfterDays = expires_after?.days ?? null;
        await inTransaction.insert(userId, id, {
          name: name ?? '',
          description: description ?? null,
          metadata: JSON.stringify(metadata ?? {}),
          expiresAfterDays,
        });
        const files = fileNames.map((file_id) => ({ file_id, chunking_strategy }));
        if (files.length > 0) await putFiles(trx, numbers, userId, { id, expiresAfterDays }, files);
        return id;
      });
      return one(userId, (await ids()).encode('vs', storeId));
    },

    async list(userId: number, query: ApiPage) {
      const { decode } = await ids();
      const page = numberedPage(query, 'vector store', (id) => decode('vs', id));
      return listAnswer(await shown(userId, await stores.page(userId, page)), page.limit, page.isBack);
    },

    get: one,

    async update(userId: number, id: string, change: StoreChange): Promise<ApiVectorStore> {
      const { name, metadata, expires_after } = change;
      await db.transaction().execute(async (trx) => {
        const inTransaction = clientVectorStoreRepository(trx);
        await inTransaction.lock(userId);
        const store = access.ofClient(await access.find(trx, userId, id));
        await inTransaction.update(userId, store, {
          ...(name !== undefined && name !== null && { name }),
          ...(metadata !== undefined && { metadata: JSON.stringify(metadata ?? {}) }),
          ...(expires_after !== undefined && { expiresAfterDays: expires_after?.days ?? null }),
        });
      });
      return one(userId, id);
    },

    async remove(userId: number, id: string) {
      await db.transaction().execute(async (trx) => {
        await clientVectorStoreRepository(trx).lock(userId);
        const store = access.ofClient(await access.find(trx, userId, id));
        await atProvider.release(trx, userId, store.id);
      });
      return { id, object: 'vector_store.deleted' as const, deleted: true as const };
    },

    /** Expired stores are deleted at the provider, where they cost money, and stay here as expired. */
    async expire() {
      const due = await stores.due(new Date().toISOString(), expiredAtOnce);
      for (const { userId, id } of due) await db.transaction().execute((trx) => atProvider.expire(trx, userId, id));
    },
  };
}
