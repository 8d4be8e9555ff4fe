import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { RecordVersion } from '#server/features/feature';
import type { ProviderUploads } from '#server/features/files/provider-uploads';
import { jobHandler } from '#server/jobs/define';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { expireApiStore, indexJob, queueIndexing, releaseApiStore, releaseStore } from './queue.ts';
import { storeRemoval } from './removal.ts';
import { knowledgeRepository } from './repository.ts';
import { knowledgeService } from './service.ts';
import { storeRepository } from './store-repository.ts';
import { createVectorStoreSync, type SyncVectorStore } from './sync-vector-store.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  files: Pick<ProviderUploads, 'retry' | 'checkAtProvider'>;
  config: Pick<Config, 'provider'>;
  versions: { record: RecordVersion };
  log: FastifyBaseLogger;
};

export function knowledgeFeature(dependencies: Dependencies) {
  const { database, presence, provider, keys, files, config, versions, log } = dependencies;
  const { db } = database;
  const { instance, isGone } = presence;
  const providerName = config.provider.name;
  const removal = storeRemoval({ db, provider, keys, isGone });
  const fill = createVectorStoreSync({ db, provider, keys, files, providerName, instance, isGone, log });
  const onProblem = (error: unknown) => log.error({ err: error }, 'indexing could not be restarted');
  return {
    jobs: [jobHandler(indexJob, ({ userId, assistantId }) => index(db, fill, userId, assistantId)), removal.job],
    removeAtProvider: removal.removeEverywhere,
    /**
     * For vector stores of API clients, which are created, filled and removed at the provider like those of assistants.
     */
    stores: {
      insert: (trx: Kysely<Database>, userId: number) => storeRepository(trx).insertForClient(userId),
      fill,
      release: releaseApiStore,
      expire: expireApiStore,
    },
    ...knowledgeService({ database, versions, retryCopy: files.retry, providerName, onProblem }),
  };
}

/** undefined: there is no store and none is needed. */
async function storeOf(db: Kysely<Database>, userId: number, assistantId: number): Promise<number | undefined> {
  const stores = storeRepository(db);
  if (!(await stores.ofAssistant(userId, assistantId))) {
    if ((await knowledgeRepository(db).of(userId, assistantId)).length === 0) return undefined;
    await stores.insert(userId, assistantId);
  }
  return (await stores.ofAssistant(userId, assistantId))?.id;
}

/** Brings the vector store of an assistant in line with its files. There is a store while there are files. */
async function index(db: Kysely<Database>, fill: SyncVectorStore, userId: number, assistantId: number) {
  const storeId = await storeOf(db, userId, assistantId);
  if (storeId === undefined) return;
  const knowledge = knowledgeRepository(db);
  await fill(userId, storeId, {
    name: 'Roster assistant',
    rows: () => knowledge.of(userId, assistantId),
    change: knowledge.change,
    again: (inMs) => queueIndexing(db, userId, assistantId, inMs),
    whenEmpty: () => db.transaction().execute((trx) => releaseStore(trx, userId, assistantId)),
    waitsForKey: true,
  });
}
