import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import {
  apiFileBatches,
  apiVectorStoreFiles,
  apiVectorStoreSearch,
  apiVectorStores,
} from '@roster/contracts/public-api/vector-stores';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { SyncVectorStore } from '#server/features/assistants/knowledge/sync-vector-store';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { withPollInterval } from '#server/features/public-api/shared/poll-interval';
import type { PublicApiRouter } from '#server/http/public-api/router';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { storeAccess } from './access.ts';
import { vectorStoreExport } from './export-part.ts';
import { storeFileRepository } from './file-repository.ts';
import { storeFileService } from './files.ts';
import { enqueueSync } from './job.ts';
import { clientVectorStoreRepository } from './repository.ts';
import { storeSearch } from './search.ts';
import { storeService } from './stores.ts';
import { vectorStoreSync } from './sync.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
  config: Pick<Config, 'provider'>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  log: FastifyBaseLogger;
  ids: () => Promise<Ids>;
  fileIds: FileIds;
  knowledge: {
    list: (userId: number, assistantId: number) => Promise<AssistantFile[]>;
    /** Checks the store of an assistant again. */
    lookAgain: (userId: number, assistantId: number) => Promise<void>;
    stores: {
      insert: (trx: Kysely<Database>, userId: number) => Promise<number>;
      release: (trx: Kysely<Database>, userId: number, storeId: number) => Promise<void>;
      expire: (trx: Kysely<Database>, userId: number, storeId: number) => Promise<void>;
      fill: SyncVectorStore;
    };
  };
};

/** Resolves to true once a search finds the given thing. */
const isFound = (search: Promise<unknown>): Promise<boolean> =>
  search.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    },
  );

const expireEveryMs = 60_000;

/** Vector stores of clients, below /v1/vector_stores. */
export function vectorStoreFeature({ database, config, provider, keys, log, ids, fileIds, knowledge }: Dependencies) {
  const { db } = database;
  const { stores: atProvider } = knowledge;
  const access = storeAccess({ ids, config, provider, keys });
  const filling = vectorStoreSync({ db, provider, config, fill: atProvider.fill });
  const stores = storeService({ db, ids, access, fileIds, atProvider });
  const files = storeFileService({ db, ids, access, fileIds, assistantFiles: knowledge.list, fillNow: filling.run });
  const search = storeSearch({
    db,
    ids,
    access,
    provider,
    keys,
    onProblem: (error) => log.error({ err: error }, 'could not recreate a vector store'),
    entryIn: files.entryIn,
    repair: (userId, { id, assistantId }) =>
      assistantId === null ? enqueueSync(db, userId, id) : knowledge.lookAgain(userId, assistantId),
  });

  return {
    apiRoutes({ route }: PublicApiRouter) {
      route(apiVectorStores.create, ({ caller, body }) => stores.create(caller.userId, body));
      route(apiVectorStores.list, ({ caller, query }) => stores.list(caller.userId, query));
      route(apiVectorStores.get, ({ caller, params }) => stores.get(caller.userId, params.id));
      route(apiVectorStores.update, ({ caller, params, body }) => stores.update(caller.userId, params.id, body));
      route(apiVectorStores.delete, ({ caller, params }) => stores.remove(caller.userId, params.id));
      route(apiVectorStoreSearch.search, ({ caller, params, body }) => search.search(caller.userId, params.id, body));

      route(apiVectorStoreFiles.create, ({ caller, params, body }) => files.create(caller.userId, params.id, body));
      route(apiVectorStoreFiles.list, ({ caller, params, query }) => files.list(caller.userId, params.id, query));
      route(apiVectorStoreFiles.get, async ({ caller, params: { id, fileId }, reply }) =>
        withPollInterval(reply, await files.get(caller.userId, id, fileId)),
      );
      route(apiVectorStoreFiles.update, ({ caller, params: { id, fileId }, body }) =>
        files.update(caller.userId, id, fileId, body.attributes),
      );
      route(apiVectorStoreFiles.delete, ({ caller, params: { id, fileId } }) =>
        files.remove(caller.userId, id, fileId),
      );
      route(apiVectorStoreFiles.content, ({ caller, params: { id, fileId } }) =>
        search.content(caller.userId, id, fileId),
      );

      const { batches } = files;
      route(apiFileBatches.create, ({ caller, params, body }) => batches.create(caller.userId, params.id, body));
      route(apiFileBatches.get, async ({ caller, params: { id, batchId }, reply }) =>
        withPollInterval(reply, await batches.get(caller.userId, id, batchId)),
      );
      route(apiFileBatches.cancel, ({ caller, params: { id, batchId } }) => batches.cancel(caller.userId, id, batchId));
      route(apiFileBatches.files, ({ caller, params: { id, batchId }, query }) =>
        batches.files(caller.userId, id, batchId, query),
      );
    },
    jobs: [filling.job],
    upkeep: [{ everyMs: expireEveryMs, atStart: true, run: stores.expire }],
    exportParts: [vectorStoreExport(database)],
    /** Retries files that failed without a key, or that are in another account of the provider. */
    keySaved: (userId: number) =>
      db.transaction().execute(async (trx) => {
        await storeFileRepository(trx).beginAgain(userId);
        for (const storeId of await clientVectorStoreRepository(trx).open(userId))
          await enqueueSync(trx, userId, storeId);
      }),
    /** For the Assistants API and its runs. */
    vectorStores: {
      create: stores.create,
      remove: stores.remove,
      forAnswer: search.forAnswer,
      /** Adds a file to a store made by a client. */
      addFile: files.create,
      removeFile: files.remove,
      hasFile: (userId: number, id: string, fileId: string) => isFound(files.get(userId, id, fileId)),
      has: (userId: number, id: string) => isFound(access.find(db, userId, id)),
      isServed: access.isServed,
      /** @throws 404 if one of them is not the user's */
      async check(userId: number, storeIds: string[]) {
        for (const id of storeIds) await access.find(db, userId, id);
      },
    },
  };
}
