import { Readable } from 'node:stream';
import { prompts as api } from '@roster/contracts/prompts/prompts';
import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { promptExport, promptExportPart } from './export.ts';
import { promptImports } from './import.ts';
import { promptService } from './service.ts';

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
