import { fileOf } from '../files/routes.ts';
import { invalidRequest, notFound } from '../http/errors.ts';
import { isObject, type JsonObject, optionalObject, requiredString } from '../http/fields.ts';
import type { Account, Attributes, VectorStoreFile, VectorStoreRecord } from '../state/account.ts';
import type { World } from '../world.ts';
import { type FileStatus, statusOf } from './indexing.ts';

export function storeOf(account: Account, id: string): VectorStoreRecord {
  const store = account.vectorStores.find((candidate) => candidate.id === id);
  if (store === undefined) throw notFound(`No vector store found with id '${id}'.`, 'vector_store_id');
  return store;
}

export function entryOf(store: VectorStoreRecord, fileId: string): VectorStoreFile {
  const entry = store.files.find((candidate) => candidate.file_id === fileId);
  if (entry === undefined) throw notFound(`No file found with id '${fileId}' in vector store '${store.id}'.`);
  return entry;
}

export function attributesOf(body: JsonObject): Attributes {
  const entries = Object.entries(optionalObject(body, 'attributes') ?? {});
  if (entries.length > 16) throw invalidRequest("Invalid 'attributes': too many properties.", 'attributes');
  const attributes: Attributes = {};
  for (const [name, value] of entries) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw invalidRequest(`Invalid type for 'attributes.${name}'.`, `attributes.${name}`, 'invalid_type');
    attributes[name] = value;
  }
  return attributes;
}

/** `body` names the file, with optional chunking and attributes. */
export function addToStore(
  world: World,
  account: Account,
  store: VectorStoreRecord,
  body: JsonObject,
): VectorStoreFile {
  const { id } = fileOf(account, requiredString(body, 'file_id'));
  const found = store.files.find((entry) => entry.file_id === id);
  if (found !== undefined) return found;
  const chunking = optionalObject(body, 'chunking_strategy');
  const entry: VectorStoreFile = {
    file_id: id,
    created_at: world.clock.seconds(),
    addedMs: world.clock.now(),
    attributes: attributesOf(body),
    ...(chunking?.type === 'static' && { chunking }),
  };
  store.files.push(entry);
  return entry;
}

export function fileView(account: Account, store: VectorStoreRecord, entry: VectorStoreFile, nowMs: number) {
  const file = fileOf(account, entry.file_id);
  const status = statusOf(file, entry, nowMs);
  const message = 'The file type is not supported.';
  const usual = { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } };
  return {
    id: file.id,
    object: 'vector_store.file',
    usage_bytes: status === 'completed' ? file.bytes : 0,
    created_at: entry.created_at,
    vector_store_id: store.id,
    status,
    last_error: status === 'failed' ? { code: 'unsupported_file', message } : null,
    chunking_strategy: isObject(entry.chunking) ? entry.chunking : usual,
    attributes: entry.attributes ?? {},
  };
}

type CountedEntry = { status: FileStatus };

export function countsOf(files: readonly CountedEntry[]) {
  const count = (status: FileStatus) => files.filter((file) => file.status === status).length;
  return {
    in_progress: count('in_progress'),
    completed: count('completed'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    total: files.length,
  };
}
