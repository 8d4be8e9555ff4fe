import type { FastifyInstance } from 'fastify';
import { fileOf } from '../files/routes.ts';
import {
  bodyObject,
  isObject,
  type JsonObject,
  metadataOf,
  optionalNumber,
  optionalObject,
  optionalString,
  refuseUnknown,
  requiredString,
  stringList,
} from '../http/fields.ts';
import { page, pageQuery, queryText } from '../http/paging.ts';
import type { Account, VectorStoreRecord } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { fileBatchRoutes } from './batch-routes.ts';
import { addToStore, attributesOf, countsOf, entryOf, fileView, storeOf } from './entries.ts';
import { searchStores } from './search.ts';

function storeView(account: Account, store: VectorStoreRecord, nowMs: number) {
  const files = store.files.map((entry) => fileView(account, store, entry, nowMs));
  const file_counts = countsOf(files);
  const days = store.expiresAfterDays ?? null;
  return {
    id: store.id,
    object: 'vector_store',
    created_at: store.created_at,
    name: store.name,
    usage_bytes: files.reduce((sum, file) => sum + file.usage_bytes, 0),
    file_counts,
    status: file_counts.in_progress > 0 ? 'in_progress' : 'completed',
    ...(days !== null && { expires_after: { anchor: 'last_active_at', days } }),
    expires_at: days === null ? null : store.created_at + days * 86_400,
    last_active_at: store.created_at,
    metadata: store.metadata,
  };
}

const CHANGED = new Set(['name', 'expires_after', 'metadata']);

function daysOf(body: JsonObject): number | null {
  const after = optionalObject(body, 'expires_after');
  return after === undefined ? null : (optionalNumber(after, 'days', { min: 1, max: 365, integer: true }) ?? null);
}

type ById = { Params: { id: string } };
type ByFile = { Params: { id: string; file: string } };
const PAGES = { usual: 20, most: 100 };

export function vectorStoreRoutes(app: FastifyInstance, world: World): void {
  const { accounts, clock } = world;
  fileBatchRoutes(app, world);

  app.post('/vector_stores', async ({ call, body }) => {
    const { account } = call;
    const given: JsonObject = isObject(body) ? body : {};
    const store: VectorStoreRecord = {
      id: newId('vs_'),
      created_at: clock.seconds(),
      name: optionalString(given, 'name') ?? '',
      metadata: metadataOf(given),
      files: [],
      expiresAfterDays: daysOf(given),
    };
    const { chunking_strategy } = given;
    for (const file_id of stringList(given, 'file_ids'))
      addToStore(world, account, store, { file_id, chunking_strategy });
    account.vectorStores.push(store);
    await accounts.save(account);
    return storeView(account, store, clock.now());
  });

  app.get('/vector_stores', ({ call: { account }, query }) => {
    const views = account.vectorStores.map((store) => storeView(account, store, clock.now()));
    return page(views, pageQuery(query, PAGES));
  });

  app.get<ById>('/vector_stores/:id', ({ call: { account }, params }) =>
    storeView(account, storeOf(account, params.id), clock.now()),
  );

  app.post<ById>('/vector_stores/:id', async ({ call: { account }, params, body }) => {
    const store = storeOf(account, params.id);
    const given = bodyObject(body);
    refuseUnknown(given, CHANGED);
    store.name = optionalString(given, 'name') ?? store.name;
    if (given.metadata !== undefined) store.metadata = metadataOf(given);
    if (given.expires_after !== undefined) store.expiresAfterDays = daysOf(given);
    await accounts.save(account);
    return storeView(account, store, clock.now());
  });

  app.delete<ById>('/vector_stores/:id', async ({ call: { account }, params }) => {
    const { id } = storeOf(account, params.id);
    account.vectorStores = account.vectorStores.filter((store) => store.id !== id);
    await accounts.save(account);
    return { id, object: 'vector_store.deleted', deleted: true };
  });

  app.post<ById>('/vector_stores/:id/search', ({ call: { account }, params, body }) => {
    const given = bodyObject(body);
    const queries = Array.isArray(given.query) ? stringList(given, 'query') : [requiredString(given, 'query')];
    const most = optionalNumber(given, 'max_num_results', { min: 1, max: 50, integer: true }) ?? 10;
    const threshold = optionalNumber(optionalObject(given, 'ranking_options') ?? {}, 'score_threshold') ?? 0;
    const { id } = storeOf(account, params.id);
    const data = searchStores(account, [id], clock.now(), optionalObject(given, 'filters'))
      .filter(({ score }) => score >= threshold)
      .slice(0, most)
      .map(({ text, ...result }) => ({ ...result, content: [{ type: 'text', text }] }));
    return {
      object: 'vector_store.search_results.page',
      search_query: queries,
      data,
      has_more: false,
      next_page: null,
    };
  });

  app.post<ById>('/vector_stores/:id/files', async ({ call: { account }, params, body }) => {
    const store = storeOf(account, params.id);
    const entry = addToStore(world, account, store, bodyObject(body));
    await accounts.save(account);
    return fileView(account, store, entry, clock.now());
  });

  app.get<ById>('/vector_stores/:id/files', ({ call: { account }, params, query }) => {
    const store = storeOf(account, params.id);
    const filter = queryText(query, 'filter');
    const views = store.files.map((entry) => fileView(account, store, entry, clock.now()));
    return page(
      views.filter(({ status }) => filter === undefined || status === filter),
      pageQuery(query, PAGES),
    );
  });

  app.get<ByFile>('/vector_stores/:id/files/:file', ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    return fileView(account, store, entryOf(store, params.file), clock.now());
  });

  app.post<ByFile>('/vector_stores/:id/files/:file', async ({ call: { account }, params, body }) => {
    const store = storeOf(account, params.id);
    const entry = entryOf(store, params.file);
    entry.attributes = attributesOf(bodyObject(body));
    await accounts.save(account);
    return fileView(account, store, entry, clock.now());
  });

  app.get<ByFile>('/vector_stores/:id/files/:file/content', ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    const { id, status } = fileView(account, store, entryOf(store, params.file), clock.now());
    const text = `The text of ${fileOf(account, id).filename}.`;
    return {
      object: 'vector_store.file_content.page',
      data: status === 'completed' ? [{ type: 'text', text }] : [],
      has_more: false,
      next_page: null,
    };
  });

  app.delete<ByFile>('/vector_stores/:id/files/:file', async ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    entryOf(store, params.file);
    store.files = store.files.filter((entry) => entry.file_id !== params.file);
    await accounts.save(account);
    return { id: params.file, object: 'vector_store.file.deleted', deleted: true };
  });
}
