import { imports as api } from '@roster/contracts/imports';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { ImportedThreads } from '#server/features/chat/imported-threads/service';
import type { AccountRemovalPart, ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { hourMs } from '#server/lib/scheduled-task';
import type { FileStore } from '#server/storage/file-store';
import { localCopies } from './local-copy.ts';
import type { PartKeepers } from './parts.ts';
import { importRepository } from './repository.ts';
import { type ImportService, importService, toImport } from './service.ts';
import { type ImportFiles, importJobs } from './work.ts';

function importRoutes({ route, uploadRoute }: Router, imports: ImportService) {
  uploadRoute(api.create, ({ actor, request, receive }) => {
    const length = request.headers['content-length'];
    return imports.upload(actor, length === undefined ? undefined : Number(length), receive);
  });
  route(api.list, ({ actor, query }) => imports.list(actor.userId, query));
  route(api.find, ({ actor, params }) => imports.find(actor.userId, params.id));
  route(api.start, ({ actor, params }) => imports.start(actor, params.id));
  route(api.cancel, ({ actor, params }) => imports.cancel(actor, params.id));
  route(api.undo, ({ actor, params }) => imports.undo(actor, params.id));
}

type Dependencies = {
  database: OpenDatabase;
  store: FileStore;
  presence: Presence;
  config: Pick<Config, 'dataDir' | 'minFreeDiskBytes'>;
  now: () => number;
  files: ImportFiles & { removeBytes: (trx: Kysely<Database>, storedKeys: string[]) => Promise<void> };
  importedThreads: ImportedThreads;
  keepers: PartKeepers;
};

const sweepEveryMs = 60_000;
const sliceMs = 120_000;
const exportedAtOnce = 100;

/** Lists the imports of a user. The conversations are in the export like all others. */
function importExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  async function* lines(userId: number) {
    for (let before: number | undefined; ; ) {
      const page = await importRepository(reader).page(userId, before, exportedAtOnce);
      const last = page.at(-1);
      if (!last) return;
      for (const record of page) {
        const { id: _id, undoUntil: _until, ...line } = toImport(record);
        yield `${JSON.stringify(line)}\n`;
      }
      before = last.id;
    }
  }
  return {
    description: ['imports.jsonl                  what was imported from other products, and when'],
    async *entries(userId) {
      yield { name: 'imports.jsonl', content: lines(userId) };
    },
  };
}

/** Conversations from ChatGPT, Claude, Gemini, LibreChat, Open WebUI and other installations of Roster. */
export function importFeature(dependencies: Dependencies) {
  const { database, store, presence, config, now, files, importedThreads, keepers } = dependencies;
  const { db } = database;
  const { removeBytes } = files;
  const stopping = new AbortController();
  const copies = localCopies(store, config.dataDir);
  const minFreeBytes = config.minFreeDiskBytes;
  const imports = importService({ db, store, ...presence, minFreeBytes, removeBytes, now });
  const removalPart: AccountRemovalPart = {
    atRest: (_userId, next) => next(),
    async remove(trx, userId) {
      await removeBytes(trx, await importRepository(trx).storedKeys(userId));
      return true;
    },
  };
  return {
    routes: (router: Router) => importRoutes(router, imports),
    jobs: importJobs({
      db,
      copies,
      threads: importedThreads,
      keepers,
      files,
      removeBytes,
      signal: stopping.signal,
      sliceMs,
    }),
    upkeep: [
      { everyMs: sweepEveryMs, run: imports.sweep },
      { everyMs: hourMs, atStart: true, run: copies.sweep },
    ],
    removalPart,
    exportParts: [importExport(database)],
    close: async () => stopping.abort(new Error('The server is stopping')),
  };
}
