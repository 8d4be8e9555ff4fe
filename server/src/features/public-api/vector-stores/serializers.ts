import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import type {
  ApiFileBatch,
  ApiVectorStore,
  ApiVectorStoreFile,
  Chunking,
} from '@roster/contracts/public-api/vector-stores';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import type { StoredBatch, StoreEntry } from './file-repository.ts';
import { type ClientVectorStore, type Contents, noFiles, statusOf } from './repository.ts';

/** The provider's default chunk size. */
const usualChunks = { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 };

export function serializeStore(
  { encode }: Ids,
  store: ClientVectorStore,
  contents: Contents | undefined,
): ApiVectorStore {
  const { counts, bytes } = contents ?? { counts: noFiles(), bytes: 0 };
  const { expiresAfterDays: days, expiresAt } = store;
  return {
    id: encode('vs', store.id),
    object: 'vector_store',
    created_at: unixSeconds(store.createdAt),
    name: store.name,
    description: store.description,
    usage_bytes: bytes,
    file_counts: counts,
    status: store.hasExpired ? 'expired' : counts.in_progress > 0 ? 'in_progress' : 'completed',
    ...(days !== null && { expires_after: { anchor: 'last_active_at', days } }),
    expires_at: expiresAt === null ? null : unixSeconds(expiresAt),
    last_active_at: unixSeconds(store.lastActiveAt),
    metadata: JSON.parse(store.metadata),
  };
}

function chunkingOf(stored: string | null): ApiVectorStoreFile['chunking_strategy'] {
  const chunking: Chunking | null = stored === null ? null : JSON.parse(stored);
  return chunking?.type === 'static' ? chunking : { type: 'static', static: usualChunks };
}

export function serializeFile({ encode }: Ids, storeId: number, entry: StoreEntry): ApiVectorStoreFile {
  const status = statusOf(entry.state);
  return {
    id: encode('file', entry.fileId),
    object: 'vector_store.file',
    usage_bytes: entry.bytes,
    created_at: unixSeconds(entry.addedAt),
    vector_store_id: encode('vs', storeId),
    status,
    last_error:
      status === 'failed' ? { code: entry.errorCode ?? 'server_error', message: entry.error ?? 'It failed.' } : null,
    chunking_strategy: chunkingOf(entry.chunking),
    attributes: JSON.parse(entry.attributes),
  };
}

/** An assistant's file, in the form of a client's. */
export const entryOf = ({ fileId, state, error, size, addedAt }: AssistantFile): StoreEntry => ({
  id: fileId,
  fileId,
  state,
  error,
  errorCode: null,
  attributes: '{}',
  chunking: null,
  bytes: state === 'ready' ? size : 0,
  addedAt,
  indexedFileId: null,
});

function batchStatus({ cancelledAt, counts }: StoredBatch): ApiFileBatch['status'] {
  if (cancelledAt !== null) return 'cancelled';
  if (counts.in_progress > 0) return 'in_progress';
  return counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

export const serializeBatch = ({ encode }: Ids, storeId: number, batch: StoredBatch): ApiFileBatch => ({
  id: encode('vsfb', batch.id),
  object: 'vector_store.files_batch',
  created_at: unixSeconds(batch.createdAt),
  vector_store_id: encode('vs', storeId),
  status: batchStatus(batch),
  file_counts: batch.counts,
});
