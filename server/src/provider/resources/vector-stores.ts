import { z } from 'zod';
import { ProviderError } from '#server/provider/transport/error';
import { listLimit, type ProviderCall, type ProviderHttp } from '#server/provider/transport/http';
import { quotable } from '#server/provider/transport/masking';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import { type Capabilities, noResponses } from '#server/provider/unsupported/capabilities';
import type { Secret } from '#server/security/secret';

/** A file in a vector store. */
export type IndexedFile = {
  id: string;
  state: 'indexing' | 'ready' | 'failed';
  error: string | null;
  /** The provider's own error code. */
  errorCode: string | null;
  /** The size of its index. */
  bytes: number;
};

/** Options of a file: attributes for filters, and chunking. */
export type FileOptions = { attributes?: Record<string, string | number | boolean>; chunking_strategy?: unknown };

/** A passage of a file that matches a query. */
type Passage = { fileId: string; filename: string; text: string; score: number };

export type SearchOptions = {
  query: string | string[];
  filters?: unknown;
  max_num_results?: number;
  ranking_options?: unknown;
  rewrite_query?: boolean;
};

const answerLimit = 65_536;
const pageSize = 100;
const maxPages = 20;
/** For the files of one store: covers the most that a store may have. */
const maxFilePages = 100;
const contentLimit = 20 * 1024 * 1024;
const noStores = 'has no vector stores';
/** The metadata field with the lookup token of a store. */
const tokenName = 'roster_store';

/** It becomes part of a URL, so it is validated whatever the provider sent. */
const StoreId = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/);
const FileId = StoreId;
const CreatedStore = z.object({ id: StoreId });
const StorePage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      created_at: z.number().catch(0),
      metadata: z.record(z.string(), z.unknown()).nullish().catch(null),
    }),
  ),
  has_more: z.boolean().catch(false),
});
const StoreFile = z.object({
  id: z.string(),
  status: z.string().catch('in_progress'),
  usage_bytes: z.number().int().min(0).max(2_147_483_647).catch(0),
  last_error: z
    .object({ code: z.string().catch(''), message: z.string().catch('') })
    .nullish()
    .catch(null),
});
const Found = z.object({
  data: z.array(
    z.object({
      file_id: z.string(),
      filename: z.string().catch(''),
      score: z.number().catch(0),
      content: z.array(z.object({ text: z.string().catch('') })).catch([]),
    }),
  ),
});
const Content = z.object({ data: z.array(z.object({ text: z.string().catch('') })) });
const FilePage = z.object({ data: z.array(StoreFile), has_more: z.boolean().catch(false) });

function toIndexed({ id, status, last_error, usage_bytes: bytes }: z.output<typeof StoreFile>): IndexedFile {
  const file = { id, error: null, errorCode: null, bytes };
  if (status === 'completed') return { ...file, state: 'ready' };
  if (status !== 'failed' && status !== 'cancelled') return { ...file, state: 'indexing' };
  const reason = quotable(last_error?.message ?? '');
  const error = reason || 'The provider could not index it, and did not say why.';
  return { ...file, state: 'failed', error, errorCode: last_error?.code ?? null };
}

const unreadable = (cause: unknown) =>
  new ProviderError('provider_unavailable', 'The provider’s answer about a vector store could not be read.', { cause });

function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unreadable(parsed.error);
  return parsed.data;
}

/**
 * The vector stores of a key at the provider, for file search. A search is part of a Responses answer, so without
 * Responses nothing here is available. All methods throw ProviderError.
 */
export function providerVectorStores(
  http: ProviderHttp,
  traits: Capabilities,
  { storeMs }: Pick<ProviderTimeouts, 'storeMs'>,
) {
  const servesResponses = (apiKey: Secret | undefined) => !traits.has('*', noResponses, apiKey);

  /** Not retried here: callers know which requests may be repeated. */
  async function ask(call: Omit<ProviderCall, 'signal' | 'retries'>, limit = answerLimit): Promise<unknown> {
    if (!servesResponses(call.apiKey)) throw new ProviderError('not_served', 'The provider has no file search.');
    return http.json({ ...call, retries: 0, limit, withinMs: storeMs });
  }

  const storePath = (storeId: string) => `/vector_stores/${StoreId.parse(storeId)}`;
  const isMissing = (error: unknown) => error instanceof ProviderError && error.isNotFound;

  async function removeAt(apiKey: Secret, path: string) {
    try {
      await ask({ method: 'DELETE', path, apiKey });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  return {
    /** false: the provider is known to have none. */
    isServed: (apiKey?: Secret) => servesResponses(apiKey) && !traits.has('*', noStores, apiKey),

    /** The lookup token finds the store again if the response is lost. */
    async create(apiKey: Secret, name: string, token: string): Promise<string> {
      const body = { name, metadata: { [tokenName]: token } };
      try {
        const { id } = read(CreatedStore, await ask({ method: 'POST', path: '/vector_stores', apiKey, body }));
        await traits.works('*', noStores, apiKey);
        return id;
      } catch (error) {
        const isRefused = error instanceof ProviderError && error.code === 'not_served' && error.status !== undefined;
        if (isRefused) await traits.learn('*', noStores, apiKey);
        throw error;
      }
    },

    /** A store with this lookup token that was created after `since`. */
    async find(apiKey: Secret, token: string, since: string): Promise<string | undefined> {
      let after = '';
      for (let number = 0; number < maxPages; number++) {
        const path = `/vector_stores?limit=${pageSize}&order=desc${after && `&after=${encodeURIComponent(after)}`}`;
        const page = read(StorePage, await ask({ method: 'GET', path, apiKey }, listLimit));
        const found = page.data.find(({ metadata }) => metadata?.[tokenName] === token);
        if (found) return StoreId.parse(found.id);
        const last = page.data.at(-1);
        if (!page.has_more || !last || last.created_at * 1000 < Date.parse(since)) return undefined;
        after = last.id;
      }
      return undefined;
    },

    /** @throws ProviderError `store_gone` if there is no such store */
    async files(apiKey: Secret, storeId: string): Promise<IndexedFile[]> {
      const found: IndexedFile[] = [];
      let after = '';
      for (let number = 0; number < maxFilePages; number++) {
        const path = `${storePath(storeId)}/files?limit=${pageSize}${after && `&after=${encodeURIComponent(after)}`}`;
        const page = read(FilePage, await ask({ method: 'GET', path, apiKey }, listLimit));
        found.push(...page.data.map(toIndexed));
        after = page.data.at(-1)?.id ?? '';
        if (!page.has_more || !after) break;
      }
      return found;
    },

    /** Passages that match a query, the best first. @throws ProviderError `store_gone` */
    async search(apiKey: Secret, storeId: string, options: SearchOptions): Promise<Passage[]> {
      const path = `${storePath(storeId)}/search`;
      const { data } = read(Found, await ask({ method: 'POST', path, apiKey, body: options }, listLimit));
      return data.map(({ file_id: fileId, filename, score, content }) => ({
        fileId,
        filename,
        text: content.map(({ text }) => text).join('\n'),
        score: Math.min(1, Math.max(0, score)),
      }));
    },

    /** undefined: the provider does not have the file. */
    async add(
      apiKey: Secret,
      storeId: string,
      fileId: string,
      options: FileOptions = {},
    ): Promise<IndexedFile | undefined> {
      const body = { file_id: fileId, ...options };
      try {
        return toIndexed(
          read(StoreFile, await ask({ method: 'POST', path: `${storePath(storeId)}/files`, apiKey, body })),
        );
      } catch (error) {
        if (isMissing(error) && error instanceof ProviderError && error.code !== 'store_gone') return undefined;
        throw error;
      }
    },

    /** Adds several at once. false: the provider does not accept batches, or not this one; it may have added some. */
    async addMany(apiKey: Secret, storeId: string, files: ({ file_id: string } & FileOptions)[]): Promise<boolean> {
      try {
        await ask({ method: 'POST', path: `${storePath(storeId)}/file_batches`, apiKey, body: { files } });
        return true;
      } catch (error) {
        const isOfThese =
          error instanceof ProviderError &&
          error.code !== 'store_gone' &&
          (error.status === 400 || error.status === 404 || error.status === 405);
        if (isOfThese) return false;
        throw error;
      }
    },

    async setAttributes(
      apiKey: Secret,
      storeId: string,
      fileId: string,
      attributes: NonNullable<FileOptions['attributes']>,
    ): Promise<void> {
      const path = `${storePath(storeId)}/files/${FileId.parse(fileId)}`;
      await ask({ method: 'POST', path, apiKey, body: { attributes } });
    },

    /** The text that the provider extracted from a file, in chunks. */
    async content(apiKey: Secret, storeId: string, fileId: string): Promise<string[]> {
      const path = `${storePath(storeId)}/files/${FileId.parse(fileId)}/content`;
      const { data } = read(Content, await ask({ method: 'GET', path, apiKey }, contentLimit));
      return data.map(({ text }) => text);
    },

    /** Removes a file from the store; the file itself stays. Succeeds too if it is no longer in it. */
    takeOut: (apiKey: Secret, storeId: string, fileId: string) =>
      removeAt(apiKey, `${storePath(storeId)}/files/${FileId.parse(fileId)}`),

    /** Succeeds too if the store no longer exists. */
    remove: (apiKey: Secret, storeId: string) => removeAt(apiKey, storePath(storeId)),
  };
}

export type ProviderVectorStores = ReturnType<typeof providerVectorStores>;
