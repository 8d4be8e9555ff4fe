import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { VersionRecorder } from '#server/features/assistants/versions/recorder';
import type { ProviderUploads } from '#server/features/files/provider-uploads';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { indexJobHandler } from './indexing.ts';
import { expireApiStore, releaseApiStore } from './queue.ts';
import { storeRemoval } from './removal.ts';
import { knowledgeService } from './service.ts';
import { storeRepository } from './store-repository.ts';
import { createVectorStoreSync } from './sync-vector-store.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  files: Pick<ProviderUploads, 'retry' | 'checkAtProvider'>;
  config: Pick<Config, 'provider'>;
  versions: Pick<VersionRecorder, 'record'>;
  log: FastifyBaseLogger;
};

export function knowledgeFeature(dependencies: Dependencies) {
  const { database, presence, provider, keys, files, config, versions, log } = dependencies;
  const { db } = database;
  const { instance, isGone } = presence;
  const providerName = config.provider.name;
  const removal = storeRemoval({ db, provider, keys, isGone });
  const fill = createVectorStoreSync({ db, provider, keys, files, providerName, instance, isGone, log });
  const index = indexJobHandler({ db, fill });
  const onProblem = (error: unknown) => log.error({ err: error }, 'indexing could not be restarted');
  return {
    jobs: [index, removal.job],
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
