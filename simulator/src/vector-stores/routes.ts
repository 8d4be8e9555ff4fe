import type { FastifyInstance } from 'fastify';
import { fileOf } from '../files/routes.ts';
import { notFound } from '../http/errors.ts';
import {
  bodyObject,
  isObject,
  type JsonObject,
  metadataOf,
  optionalString,
  requiredString,
  stringList,
} from '../http/fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import type { Account, VectorStoreFile, VectorStoreRecord } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { type FileStatus, statusOf } from './indexing.ts';
import { searchStores } from './search.ts';

function storeOf(account: Account, id: string): VectorStoreRecord {
  const store = account.vectorStores.find((candidate) => candidate.id === id);
  if (store === undefined) throw notFound(`No vector store found with id '${id}'.`, 'vector_store_id');
  return store;
}

function fileView(account: Account, store: VectorStoreRecord, entry: VectorStoreFile, nowMs: number) {
  const file = fileOf(account, entry.file_id);
  const status = statusOf(file, entry, nowMs);
  const message = 'The file type is not supported.';
  return {
    id: file.id,
    object: 'vector_store.file',
    usage_bytes: status === 'completed' ? file.bytes : 0,
    created_at: entry.created_at,
    vector_store_id: store.id,
    status,
    last_error: status === 'failed' ? { code: 'unsupported_file', message } : null,
    chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
    attributes: {},
  };
}

function storeView(account: Account, store: VectorStoreRecord, nowMs: number) {
  const files = store.files.map((entry) => fileView(account, store, entry, nowMs));
  const count = (status: FileStatus) => files.filter((file) => file.status === status).length;
  return {
    id: store.id,
    object: 'vector_store',
    created_at: store.created_at,
    name: store.name,
    usage_bytes: files.reduce((sum, file) => sum + file.usage_bytes, 0),
    file_counts: {
      in_progress: count('in_progress'),
      completed: count('completed'),
      failed: count('failed'),
      cancelled: 0,
      total: files.length,
    },
    status: count('in_progress') > 0 ? 'in_progress' : 'completed',
    expires_at: null,
    last_active_at: store.created_at,
    metadata: store.metadata,
  };
}

function addToStore(world: World, account: Account, store: VectorStoreRecord, fileId: string): VectorStoreFile {
  const { id } = fileOf(account, fileId);
  const known = store.files.find((entry) => entry.file_id === id);
  if (known !== undefined) return known;
  const entry = { file_id: id, created_at: world.clock.seconds(), addedMs: world.clock.now() };
  store.files.push(entry);
  return entry;
}

type ById = { Params: { id: string } };
type ByFile = { Params: { id: string; file: string } };
const PAGES = { usual: 20, most: 100 };

export function vectorStoreRoutes(app: FastifyInstance, world: World): void {
  const { accounts, clock } = world;

  app.post('/vector_stores', async ({ call, body }) => {
    const { account } = call;
    const given: JsonObject = isObject(body) ? body : {};
    const store: VectorStoreRecord = {
      id: newId('vs_'),
      created_at: clock.seconds(),
      name: optionalString(given, 'name') ?? '',
      metadata: metadataOf(given),
      files: [],
    };
    for (const id of stringList(given, 'file_ids')) addToStore(world, account, store, id);
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

  app.delete<ById>('/vector_stores/:id', async ({ call: { account }, params }) => {
    const { id } = storeOf(account, params.id);
    account.vectorStores = account.vectorStores.filter((store) => store.id !== id);
    await accounts.save(account);
    return { id, object: 'vector_store.deleted', deleted: true };
  });

  app.post<ById>('/vector_stores/:id/search', ({ call: { account }, params, body }) => {
    const query = requiredString(bodyObject(body), 'query');
    const data = searchStores(account, [storeOf(account, params.id).id], clock.now()).map(({ text, ...result }) => ({
      ...result,
      content: [{ type: 'text', text }],
    }));
    return {
      object: 'vector_store.search_results.page',
      search_query: [query],
      data,
      has_more: false,
      next_page: null,
    };
  });

  app.post<ById>('/vector_stores/:id/files', async ({ call: { account }, params, body }) => {
    const store = storeOf(account, params.id);
    const entry = addToStore(world, account, store, requiredString(bodyObject(body), 'file_id'));
    await accounts.save(account);
    return fileView(account, store, entry, clock.now());
  });

  app.get<ById>('/vector_stores/:id/files', ({ call: { account }, params, query }) => {
    const store = storeOf(account, params.id);
    const views = store.files.map((entry) => fileView(account, store, entry, clock.now()));
    return page(views, pageQuery(query, PAGES));
  });

  app.get<ByFile>('/vector_stores/:id/files/:file', ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    const entry = store.files.find((candidate) => candidate.file_id === params.file);
    if (entry === undefined) throw notFound(`No file found with id '${params.file}' in vector store '${store.id}'.`);
    return fileView(account, store, entry, clock.now());
  });

  app.delete<ByFile>('/vector_stores/:id/files/:file', async ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    if (!store.files.some((entry) => entry.file_id === params.file)) {
      throw notFound(`No file found with id '${params.file}' in vector store '${store.id}'.`);
    }
    store.files = store.files.filter((entry) => entry.file_id !== params.file);
    await accounts.save(account);
    return { id: params.file, object: 'vector_store.file.deleted', deleted: true };
  });
}
