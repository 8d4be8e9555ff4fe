import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { Router } from '#server/http/app-router/router';
import type { OpenConnection } from '#server/provider/connections/open';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import type { FileStore } from '#server/storage/file-store';
import { fileExport, fileRemovalPart } from './account-data.ts';
import { connectionCopies } from './connection-copies.ts';
import { fileDownload } from './download.ts';
import { fileListing } from './listing.ts';
import { providerFileIds } from './provider-file-ids.ts';
import { providerFileRepository } from './provider-file-repository.ts';
import { providerUploads as createForwarding } from './provider-uploads.ts';
import { removal } from './removal.ts';
import { storeRemovalOfBytes } from './remove-bytes.ts';
import { fileRepository } from './repository.ts';
import { fileRoutes } from './routes.ts';
import { uploadService } from './uploads.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  store: FileStore;
  provider: Provider;
  config: Pick<Config, 'provider' | 'minFreeDiskBytes'>;
  keys: {
    open: (userId: number) => Promise<Secret>;
    noteRejected: (userId: number, notice: string) => Promise<void>;
    config: (userId: number) => Promise<{ hasApiKey: boolean }>;
  };
  openConnection: OpenConnection;
  presence: Presence;
  /** Called in the transaction that stores the result of sending a file. */
  onCopySettled: (trx: Kysely<Database>, userId: number, fileId: number) => Promise<void>;
  log: FastifyBaseLogger;
};

const sweepEveryMs = 30_000;

/**
 * A user's files, here and at the provider.
 * Long: its parts, each built from those before it.
 */
export function fileFeature(dependencies: Dependencies) {
  const { database, store, provider, keys, presence, config, onCopySettled, log } = dependencies;
  const { db } = database;
  const { instance, isGone } = presence;
  const providerName = config.provider.name;
  const files = fileRepository(db);
  const copies = providerFileRepository(db);
  const forwarding = createForwarding({
    db,
    store,
    provider,
    keys,
    providerName,
    instance,
    isGone,
    onCopySettled,
    log,
  });
  const forwarded = providerFileIds({ db, ensure: forwarding.ensure, forward: forwarding.forward });
  const atConnections = connectionCopies({ db, store, provider, openConnection: dependencies.openConnection });
  const removals = removal({ db, store, provider, keys, providerName, isGone, connectionCopies: atConnections, log });
  const hasKey = async (userId: number) => (await keys.config(userId)).hasApiKey;
  const uploads = uploadService({ db, store, instance, isGone, hasKey, minFreeBytes: config.minFreeDiskBytes, log });
  const list = fileListing(files);
  const download = fileDownload(files, store);

  /** Finishes what dead processes were receiving or sending. */
  async function recover() {
    const [swept, taken] = [await uploads.sweep(), await forwarding.recover()];
    if (swept + taken > 0) log.warn({ swept, taken }, 'removed interrupted uploads and resumed forwarding');
  }

  return {
    jobs: [...forwarding.jobs, ...removals.jobs, ...atConnections.jobs],
    upkeep: [{ everyMs: sweepEveryMs, run: recover }],
    recover,
    routes: (router: Router) => fileRoutes(router, { files, copies, download, uploads, list, removals, forwarding }),
    keySaved: forwarding.keySaved,
    retry: forwarding.retry,
    checkAtProvider: forwarding.checkAtProvider,
    page: files.page,
    find: files.find,
    upload: uploads.upload,
    download,
    stored: files.stored,
    /** For features that need a file at the provider for a purpose of their own. */
    copies: {
      ensure: forwarding.ensure,
      find: copies.ofFile,
      check: (userId: number) => forwarding.checkCopies({ userId }),
      /** For files that code reads at the provider: forwarded first, if they are not there yet. */
      forwarded: forwarded.atProvider,
      /** For files that are needed at the provider of a connection. */
      forwardTo: atConnections.forward,
      checkAt: atConnections.check,
    },
    /** For files that Roster creates: datasets, converted and split training files. */
    make: uploads.make,
    /** For files that tools of the provider create for answers. */
    storeGenerated: uploads.storeGenerated,
    /** In the transaction that deletes the rows: removes bytes that other features have stored. */
    removeBytes: (trx: Kysely<Database>, storedKeys: string[]) => storeRemovalOfBytes(trx, storedKeys, log),
    room: uploads.room,
    remove: removals.remove,
    removeImported: removals.removeImported,
    removalPart: fileRemovalPart(removals.removeAllOf),
    exportParts: [fileExport(db, store)],
    removeAtProvider: async (userId: number) => [
      { left: await removals.removeEverywhere(userId), one: 'file', many: 'files' },
    ],
  };
}
