import { assistants as api, withReferences } from '@roster/contracts/assistants/assistants';
import { assistantDrafts } from '@roster/contracts/assistants/drafts';
import { assistantVersions as versions } from '@roster/contracts/assistants/versions';
import type { FastifyReply } from 'fastify';
import type { Router } from '#server/http/app-router/router';
import { setNextLink } from '#server/http/paging';
import type { AssistantDraftService } from './drafts/service.ts';
import type { ImportService } from './import.ts';
import type { KnowledgeService } from './knowledge/service.ts';
import type { AssistantService } from './service.ts';
import type { VersionService } from './versions/service.ts';

type Dependencies = {
  assistants: AssistantService;
  drafts: AssistantDraftService;
  history: VersionService;
  imports: ImportService;
  knowledge: Pick<KnowledgeService, 'list' | 'add' | 'remove' | 'retry'>;
};

/** Only letters, digits and hyphens: the name goes into a header and must be valid on any system. */
const fileName = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '') || 'assistant';

const asDownload = (reply: FastifyReply, name: string) =>
  reply.header('content-disposition', `attachment; filename="${fileName(name)}.json"`);

export function assistantRoutes({ route }: Router, { assistants, drafts, history, imports, knowledge }: Dependencies) {
  route(api.list, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await assistants.list(actor.userId, query);
    setNextLink(reply, api.list.path, query, nextCursor);
    return items;
  });
  route(assistantDrafts.get, ({ actor, query }) => drafts.find(actor.userId, query.assistant));
  route(assistantDrafts.keep, ({ actor, query, body }) => drafts.keep(actor, query.assistant, body));
  route(assistantDrafts.remove, ({ actor, query }) => drafts.remove(actor.userId, query.assistant));
  route(api.create, ({ actor, body }) => assistants.create(actor, withReferences(body)));
  route(api.update, ({ actor, params, body }) => assistants.update(actor, params.id, withReferences(body)));
  route(api.duplicate, ({ actor, params }) => assistants.duplicate(actor, params.id));
  route(api.remove, ({ actor, params }) => assistants.remove(actor.userId, params.id));
  route(versions.list, async ({ actor, params, query, reply }) => {
    const { items, nextCursor } = await history.list(actor.userId, params.id, query);
    setNextLink(reply, versions.list.path.replace(':id', String(params.id)), query, nextCursor);
    return items;
  });
  route(versions.get, ({ actor, params }) => history.get(actor.userId, params.id, params.number));
  route(versions.restore, ({ actor, params }) => history.restore(actor, params.id, params.number));
  route(api.files, ({ actor, params }) => knowledge.list(actor.userId, params.id));
  route(api.addFiles, ({ actor, params, body }) => knowledge.add(actor.userId, params.id, body.fileIds));
  route(api.removeFile, ({ actor, params }) => knowledge.remove(actor.userId, params.id, params.fileId));
  route(api.retryFile, ({ actor, params }) => knowledge.retry(actor.userId, params.id, params.fileId));
  route(api.setDefault, ({ actor, body }) => assistants.setDefault(actor.userId, body.assistantId));
  route(api.fetchFromProvider, ({ actor, body }) => imports.candidates(actor, body));
  route(api.importBatch, ({ actor, body }) => imports.fromProvider(actor, body));
  route(api.importFile, ({ actor, query, body }) => imports.fromFile(actor, body, query.preview ?? false));
  route(api.exportAll, async ({ actor, reply }) => {
    const content = await assistants.exportAll(actor.userId);
    asDownload(reply, `roster assistants ${content.exportedAt.slice(0, 10)}`);
    return content;
  });
  route(api.exportOne, async ({ actor, params, reply }) => {
    const content = await assistants.exportOne(actor.userId, params.id);
    asDownload(reply, content.assistants[0]?.name ?? '');
    return content;
  });
}
