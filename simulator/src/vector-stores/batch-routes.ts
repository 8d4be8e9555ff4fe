import type { FastifyInstance } from 'fastify';
import { invalidRequest, notFound } from '../http/errors.ts';
import { bodyObject, isObject, type JsonObject, optionalList, stringList } from '../http/fields.ts';
import { page, pageQuery, queryText } from '../http/paging.ts';
import type { Account, FileBatchRecord, VectorStoreRecord } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { addToStore, countsOf, fileView, storeOf } from './entries.ts';

type ById = { Params: { id: string } };
type ByBatch = { Params: { id: string; batch: string } };
const MOST_FILES = 2_000;
const PAGES = { usual: 20, most: 100 };

/** The files that a request names, each with its options. */
function namedFiles(body: JsonObject): JsonObject[] {
  const files = optionalList(body, 'files');
  if ((files === undefined) === (body.file_ids === undefined))
    throw invalidRequest("Exactly one of 'file_ids' and 'files' is required.", 'file_ids');
  const { attributes, chunking_strategy } = body;
  const named =
    files?.filter(isObject) ??
    stringList(body, 'file_ids').map((file_id) => ({ file_id, attributes, chunking_strategy }));
  if (named.length === 0 || named.length > MOST_FILES)
    throw invalidRequest(`A batch has 1 to ${MOST_FILES} files.`, 'file_ids');
  return named;
}

function batchOf(store: VectorStoreRecord, id: string): FileBatchRecord {
  const batch = store.batches?.find((candidate) => candidate.id === id);
  if (batch === undefined) throw notFound(`No vector store file batch found with id '${id}'.`);
  return batch;
}

function filesIn(account: Account, store: VectorStoreRecord, batch: FileBatchRecord, nowMs: number) {
  const entries = store.files.filter(({ file_id }) => batch.files.includes(file_id));
  return entries.map((entry) => fileView(account, store, entry, nowMs));
}

function batchView(account: Account, store: VectorStoreRecord, batch: FileBatchRecord, nowMs: number) {
  const file_counts = countsOf(filesIn(account, store, batch, nowMs));
  const settled = file_counts.in_progress > 0 ? 'in_progress' : 'completed';
  return {
    id: batch.id,
    object: 'vector_store.files_batch',
    created_at: batch.created_at,
    vector_store_id: store.id,
    status: batch.cancelled ? 'cancelled' : settled,
    file_counts,
  };
}

export function fileBatchRoutes(app: FastifyInstance, world: World): void {
  const { accounts, clock } = world;

  app.post<ById>('/vector_stores/:id/file_batches', async ({ call: { account }, params, body }) => {
    const store = storeOf(account, params.id);
    const named = namedFiles(bodyObject(body));
    const fileCount = store.files.length;
    let entries: { file_id: string }[];
    try {
      entries = named.map((file) => addToStore(world, account, store, file));
    } catch (error) {
      // All of them, or none.
      store.files.splice(fileCount);
      throw error;
    }
    const files = entries.map(({ file_id }) => file_id);
    const batch = { id: newId('vsfb_'), created_at: clock.seconds(), files, cancelled: false };
    store.batches = [...(store.batches ?? []), batch];
    await accounts.save(account);
    return batchView(account, store, batch, clock.now());
  });

  app.get<ByBatch>('/vector_stores/:id/file_batches/:batch', ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    return batchView(account, store, batchOf(store, params.batch), clock.now());
  });

  app.post<ByBatch>('/vector_stores/:id/file_batches/:batch/cancel', async ({ call: { account }, params }) => {
    const store = storeOf(account, params.id);
    const batch = batchOf(store, params.batch);
    const open = new Set(
      filesIn(account, store, batch, clock.now())
        .filter(({ status }) => status === 'in_progress')
        .map(({ id }) => id),
    );
    if (open.size > 0) {
      batch.cancelled = true;
      for (const entry of store.files) if (open.has(entry.file_id)) entry.cancelled = true;
      await accounts.save(account);
    }
    return batchView(account, store, batch, clock.now());
  });

  app.get<ByBatch>('/vector_stores/:id/file_batches/:batch/files', ({ call: { account }, params, query }) => {
    const store = storeOf(account, params.id);
    const filter = queryText(query, 'filter');
    const views = filesIn(account, store, batchOf(store, params.batch), clock.now());
    return page(
      views.filter(({ status }) => filter === undefined || status === filter),
      pageQuery(query, PAGES),
    );
  });
}
