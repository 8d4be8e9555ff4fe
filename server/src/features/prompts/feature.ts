import { Readable } from 'node:stream';
import { prompts as api, promptExportFormat } from '@roster/contracts/prompts/prompts';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { promptImports } from './import.ts';
import { promptRepository } from './repository.ts';
import { promptService } from './service.ts';

/** Small pages, because a text may have 32,000 characters. */
const atOnce = 50;

/** Writes all prompts of a user as the import reads them. Uses a separate read connection. */
function promptExport({ reader }: Pick<OpenDatabase, 'reader'>) {
  const prompts = promptRepository(reader);
  return async function* (userId: number, exportedAt: string) {
    const head = JSON.stringify({ format: promptExportFormat, version: 1, exportedAt });
    yield `${head.slice(0, -1)},"prompts":[`;
    let separator = '\n';
    let last = '';
    for (;;) {
      const page = await prompts.after(userId, last, atOnce);
      for (const { id: _, ...prompt } of page) {
        yield `${separator}${JSON.stringify(prompt)}`;
        separator = ',\n';
      }
      const end = page.at(-1);
      if (!end) break;
      last = end.name;
    }
    yield '\n]}\n';
  };
}

const promptExportPart = (database: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['prompts.json                   the prompts, as Prompts > Import reads them'],
  async *entries(userId) {
    yield { name: 'prompts.json', content: promptExport(database)(userId, new Date().toISOString()) };
  },
});

export function promptFeature({ database }: { database: OpenDatabase }) {
  const prompts = promptService(database.db);
  const imports = promptImports(database.db);
  const exported = promptExport(database);
  return {
    routes({ route, rawRoute }: Router) {
      route(api.list, ({ actor, query }) => prompts.list(actor.userId, query));
      route(api.get, ({ actor, params }) => prompts.find(actor.userId, params.id));
      route(api.create, ({ actor, body }) => prompts.create(actor, body));
      route(api.update, ({ actor, params, body }) => prompts.update(actor, params.id, body));
      route(api.remove, ({ actor, params }) => prompts.remove(actor.userId, params.id));
      route(api.markUsed, ({ actor, params }) => prompts.markUsed(actor.userId, params.id));
      route(api.importFile, ({ actor, query, body }) =>
        query.preview ? imports.preview(actor.userId, body) : imports.store(actor, body),
      );
      rawRoute(api.exportAll, async ({ actor, reply }) => {
        const exportedAt = new Date().toISOString();
        return reply
          .type('application/json; charset=utf-8')
          .header('content-disposition', `attachment; filename="roster-prompts-${exportedAt.slice(0, 10)}.json"`)
          .send(Readable.from(exported(actor.userId, exportedAt)));
      });
    },
    exportParts: [promptExportPart(database)],
  };
}
