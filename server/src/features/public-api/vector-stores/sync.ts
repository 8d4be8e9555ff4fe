import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { SyncVectorStore } from '#server/features/assistants/knowledge/sync-vector-store';
import { jobHandler } from '#server/jobs/define';
import type { Provider } from '#server/provider/provider';
import type { FileOptions } from '#server/provider/resources/vector-stores';
import { noVectorStores } from './access.ts';
import { type EntryToSync, storeFileRepository } from './file-repository.ts';
import { enqueueSync, fillStoreJob } from './job.ts';
import { clientVectorStoreRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'vectorStores'>;
  fill: SyncVectorStore;
  config: Pick<Config, 'provider'>;
};

function optionsOf({ attributes, chunking }: EntryToSync): FileOptions {
  return {
    ...(attributes !== '{}' && { attributes: JSON.parse(attributes) }),
    ...(chunking !== null && { chunking_strategy: JSON.parse(chunking) }),
  };
}

/** Syncs a client's store at the provider with its files. */
export function vectorStoreSync({ db, provider, fill, config }: Dependencies) {
  const files = storeFileRepository(db);

  /** Resolves to false if the store is already being filled; it is checked again after that. */
  async function run(userId: number, storeId: number): Promise<boolean> {
    const store = await clientVectorStoreRepository(db).find(userId, storeId);
    if (!store || store.hasExpired) return true;
    return fill<EntryToSync>(userId, storeId, {
      name: store.name || 'Roster',
      rows: () => files.toFill(userId, storeId),
      change: (row, to) =>
        files.change(row, to.state === 'not_served' ? { ...to, error: noVectorStores(config.provider.name) } : to),
      again: (inMs) => enqueueSync(db, userId, storeId, inMs),
      waitsForKey: false,
      optionsOf,
      async onEntry(row, { apiKey, storeId: at, fileId, isNew }) {
        if (!isNew && row.attributesSent) return;
        if (!isNew) await provider.vectorStores.setAttributes(apiKey, at, fileId, JSON.parse(row.attributes));
        await files.attributesSent(row);
      },
    });
  }

  return { run, job: jobHandler(fillStoreJob, async ({ userId, storeId }) => void (await run(userId, storeId))) };
}
