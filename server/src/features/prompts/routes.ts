import { Readable } from 'node:stream';
import { prompts as api } from '@roster/contracts/prompts/prompts';
import type { Router } from '#server/http/app-router/router';
import type { promptExport } from './export.ts';
import type { PromptImports } from './import.ts';
import type { PromptService } from './service.ts';

type Dependencies = {
  prompts: PromptService;
  imports: PromptImports;
  exported: ReturnType<typeof promptExport>;
};

export function promptRoutes({ route, rawRoute }: Router, { prompts, imports, exported }: Dependencies) {
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
}
