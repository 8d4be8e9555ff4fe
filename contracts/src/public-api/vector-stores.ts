import { z } from 'zod';
import { tidyName } from '../text/name.ts';
import { apiEndpoint } from './endpoint.ts';
import { ApiId, apiDeleted, apiList, apiPage } from './list.ts';
import { Metadata } from './metadata.ts';

export const storeFileLimit = 10_000;
const batchFileLimit = 2_000;
const filesWithStore = 500;

const maxPairs = 16;
const longestName = 512;
const longestDescription = 2_000;
const longestQuery = 4_000;
const maxQueries = 20;

/** A client’s attributes of a file in a store, for filtering searches. */
const Attributes = z
  .record(z.string().max(64), z.union([z.string().max(512), z.number(), z.boolean()]))
  .refine((pairs) => Object.keys(pairs).length <= maxPairs, `Attributes can have at most ${maxPairs} pairs.`);
export type Attributes = z.output<typeof Attributes>;

const ExpiresAfter = z.strictObject({ anchor: z.literal('last_active_at'), days: z.number().int().min(1).max(365) });

const StaticChunks = z
  .strictObject({
    max_chunk_size_tokens: z.number().int().min(100).max(4096),
    chunk_overlap_tokens: z.number().int().min(0),
  })
  .refine(
    ({ max_chunk_size_tokens: size, chunk_overlap_tokens: overlap }) => overlap <= size / 2,
    'The overlap can be at most half of max_chunk_size_tokens.',
  );
const StaticChunking = z.strictObject({ type: z.literal('static'), static: StaticChunks });
const Chunking = z.discriminatedUnion('type', [z.strictObject({ type: z.literal('auto') }), StaticChunking]);
export type Chunking = z.output<typeof Chunking>;

const FileCounts = z.object({
  in_progress: z.number().int(),
  completed: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  total: z.number().int(),
});
export type FileCounts = z.output<typeof FileCounts>;

export const ApiVectorStore = z.object({
  id: z.string(),
  object: z.literal('vector_store'),
  created_at: z.number().int(),
  name: z.string(),
  description: z.string().nullable(),
  usage_bytes: z.number().int(),
  file_counts: FileCounts,
  status: z.enum(['expired', 'in_progress', 'completed']),
  /** Left out: never expires. */
  expires_after: ExpiresAfter.optional(),
  expires_at: z.number().int().nullable(),
  last_active_at: z.number().int().nullable(),
  metadata: Metadata,
});
export type ApiVectorStore = z.output<typeof ApiVectorStore>;

const VectorStoreFileError = z.object({
  code: z.enum(['server_error', 'unsupported_file', 'invalid_file']),
  message: z.string(),
});
export type VectorStoreFileError = z.output<typeof VectorStoreFileError>;

const fileStatuses = ['in_progress', 'completed', 'cancelled', 'failed'] as const;
export type VectorStoreFileStatus = (typeof fileStatuses)[number];

export const ApiVectorStoreFile = z.object({
  id: z.string(),
  object: z.literal('vector_store.file'),
  usage_bytes: z.number().int(),
  created_at: z.number().int(),
  vector_store_id: z.string(),
  status: z.enum(fileStatuses),
  last_error: VectorStoreFileError.nullable(),
  chunking_strategy: StaticChunking,
  attributes: Attributes,
});
export type ApiVectorStoreFile = z.output<typeof ApiVectorStoreFile>;

export const ApiFileBatch = z.object({
  id: z.string(),
  object: z.literal('vector_store.files_batch'),
  created_at: z.number().int(),
  vector_store_id: z.string(),
  status: z.enum(['in_progress', 'completed', 'cancelled', 'failed']),
  file_counts: FileCounts,
});
export type ApiFileBatch = z.output<typeof ApiFileBatch>;

export const StoreDraft = z.strictObject({
  name: z.string().max(longestName).overwrite(tidyName).nullish(),
  description: z.string().max(longestDescription).nullish(),
  file_ids: z.array(ApiId).max(filesWithStore).nullish(),
  expires_after: ExpiresAfter.nullish(),
  chunking_strategy: Chunking.nullish(),
  metadata: Metadata.nullish(),
});
export type StoreDraft = z.output<typeof StoreDraft>;

const StoreChange = z.strictObject({
  name: z.string().max(longestName).overwrite(tidyName).nullish(),
  expires_after: ExpiresAfter.nullish(),
  metadata: Metadata.nullish(),
});
export type StoreChange = z.output<typeof StoreChange>;

const FileDraft = z.strictObject({
  file_id: ApiId,
  attributes: Attributes.nullish(),
  chunking_strategy: Chunking.nullish(),
});
export type FileDraft = z.output<typeof FileDraft>;

const BatchDraft = z
  .strictObject({
    file_ids: z.array(ApiId).min(1).max(batchFileLimit).optional(),
    files: z.array(FileDraft).min(1).max(batchFileLimit).optional(),
    attributes: Attributes.nullish(),
    chunking_strategy: Chunking.nullish(),
  })
  .refine(({ file_ids, files }) => (file_ids === undefined) !== (files === undefined), {
    message: 'Send either file_ids or files.',
    path: ['file_ids'],
  });
export type BatchDraft = z.output<typeof BatchDraft>;

const Value = z.union([z.string().max(512), z.number(), z.boolean()]);
const Comparison = z.strictObject({
  type: z.enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin']),
  key: z.string().max(64),
  value: z.union([Value, z.array(Value).max(100)]),
});
type Comparison = z.output<typeof Comparison>;
type Filter = Comparison | { type: 'and' | 'or'; filters: Filter[] };
const Filter: z.ZodType<Filter> = z.union([
  Comparison,
  z.strictObject({
    type: z.enum(['and', 'or']),
    get filters() {
      return z.array(Filter).max(100);
    },
  }),
]);

const Search = z.strictObject({
  query: z.union([
    z.string().min(1).max(longestQuery),
    z.array(z.string().min(1).max(longestQuery)).min(1).max(maxQueries),
  ]),
  filters: Filter.nullish(),
  max_num_results: z.number().int().min(1).max(50).nullish(),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['none', 'auto', 'default-2024-11-15']).optional(),
      score_threshold: z.number().min(0).max(1).optional(),
    })
    .nullish(),
  rewrite_query: z.boolean().nullish(),
});
export type Search = z.output<typeof Search>;

const SearchPage = z.object({
  object: z.literal('vector_store.search_results.page'),
  search_query: z.array(z.string()),
  data: z.array(
    z.object({
      file_id: z.string(),
      filename: z.string(),
      score: z.number().min(0).max(1),
      attributes: Attributes,
      content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    }),
  ),
  has_more: z.literal(false),
  next_page: z.null(),
});

const ContentPage = z.object({
  object: z.literal('vector_store.file_content.page'),
  data: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  has_more: z.literal(false),
  next_page: z.null(),
});

const ofStore = z.strictObject({ id: ApiId });
const ofFile = z.strictObject({ id: ApiId, fileId: ApiId });
const ofBatch = z.strictObject({ id: ApiId, batchId: ApiId });
const Page = z.strictObject(apiPage);
const FilePage = z.strictObject({ ...apiPage, filter: z.enum(fileStatuses).optional() });
export type FilePage = z.output<typeof FilePage>;
/** Allows many files with their own attributes. */
const batchBytes = 5 * 1024 * 1024;

const kept = { right: 'files', keepsTexts: true } as const;

export const apiVectorStores = {
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores',
    ...kept,
    summary: 'Creates a vector store, with the given files if there are any.',
    body: StoreDraft,
    output: ApiVectorStore,
  }),
  list: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores',
    ...kept,
    summary: 'Lists the vector stores, including those of assistants.',
    query: Page,
    output: apiList(ApiVectorStore),
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id',
    ...kept,
    summary: 'Returns a vector store and the progress of its files.',
    params: ofStore,
    output: ApiVectorStore,
  }),
  update: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id',
    ...kept,
    summary: 'Changes the name, the metadata and the expiry of a vector store.',
    params: ofStore,
    body: StoreChange,
    output: ApiVectorStore,
  }),
  delete: apiEndpoint({
    method: 'DELETE',
    path: '/v1/vector_stores/:id',
    ...kept,
    summary: 'Deletes a vector store, here and at the provider; its files stay.',
    params: ofStore,
    output: apiDeleted('vector_store.deleted'),
  }),
};

export const apiVectorStoreFiles = {
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id/files',
    ...kept,
    summary: 'Adds a file to a vector store.',
    params: ofStore,
    body: FileDraft,
    output: ApiVectorStoreFile,
  }),
  list: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id/files',
    ...kept,
    summary: 'Lists the files of a vector store, all or those of one status.',
    params: ofStore,
    query: FilePage,
    output: apiList(ApiVectorStoreFile),
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id/files/:fileId',
    ...kept,
    summary: 'Returns one file of a vector store and its progress.',
    params: ofFile,
    output: ApiVectorStoreFile,
  }),
  update: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id/files/:fileId',
    ...kept,
    summary: 'Changes the attributes of a file.',
    params: ofFile,
    body: z.strictObject({ attributes: Attributes.nullable() }),
    output: ApiVectorStoreFile,
  }),
  delete: apiEndpoint({
    method: 'DELETE',
    path: '/v1/vector_stores/:id/files/:fileId',
    ...kept,
    summary: 'Removes a file from a vector store. The file itself stays.',
    params: ofFile,
    output: apiDeleted('vector_store.file.deleted'),
  }),
  content: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id/files/:fileId/content',
    ...kept,
    summary: 'Returns the text that the provider extracted from a file.',
    params: ofFile,
    output: ContentPage,
  }),
};

export const apiFileBatches = {
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id/file_batches',
    ...kept,
    summary: 'Adds up to 2,000 files to a vector store.',
    params: ofStore,
    body: BatchDraft,
    bodyLimit: batchBytes,
    output: ApiFileBatch,
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id/file_batches/:batchId',
    ...kept,
    summary: 'Returns a batch and the progress of its files.',
    params: ofBatch,
    output: ApiFileBatch,
  }),
  cancel: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id/file_batches/:batchId/cancel',
    ...kept,
    summary: 'Cancels the files of a batch that are not indexed yet.',
    params: ofBatch,
    output: ApiFileBatch,
  }),
  files: apiEndpoint({
    method: 'GET',
    path: '/v1/vector_stores/:id/file_batches/:batchId/files',
    ...kept,
    summary: 'Lists the files of a batch, all or those of one status.',
    params: ofBatch,
    query: FilePage,
    output: apiList(ApiVectorStoreFile),
  }),
};

export const apiVectorStoreSearch = {
  search: apiEndpoint({
    method: 'POST',
    path: '/v1/vector_stores/:id/search',
    ...kept,
    summary: 'Searches the files of a vector store.',
    params: ofStore,
    body: Search,
    output: SearchPage,
  }),
};
