import { Readable } from 'node:stream';
import { S3mini, S3ServiceError } from 's3mini';
import type { Config } from '#server/config/config';
import { UnavailableError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import { UnresponsiveError, withDeadline } from '#server/lib/watchdog';
import { createProxyFetch, noProxy, type ProxyFor } from '#server/outbound/proxy';
import { BytesNotFoundError, type FileStore } from './file-store.ts';

/** S3's minimum size of each part but the last. */
const partBytes = 5 * 1024 * 1024;
/** There are at most 10,000 parts: with this size 160 GB. */
const largePartBytes = 16 * 1024 * 1024;

type Settings = Omit<NonNullable<Config['s3']>, 'proxyFor'> & { proxyFor?: ProxyFor };
type AbortableStore = FileStore & { breakOff: () => void };

/** An S3-compatible store. Content that fits into one part goes in one request, the rest in parts. */
export function s3Store(config: Settings, { silenceMs = 20_000 } = {}): AbortableStore {
  let inProgress = new AbortController();
  const client = clientOf(config, () => inProgress.signal);

  return {
    put: (name, content) => put(client, keyOf(name), content),
    async read(name) {
      const response = await client.getObjectResponse(keyOf(name));
      if (!response?.body) throw new BytesNotFoundError('The store has no such object');
      return readableOf(response.body, silenceMs);
    },
    async remove(name) {
      await abortUploadsOf(client, keyOf(name));
      await client.deleteObject(keyOf(name));
    },
    freeBytes: async () => undefined,
    /** Any response will do, whether or not the object exists. */
    async check() {
      await client.objectExists(keyOf('check')).catch((error: unknown) => {
        // Without permission to list, S3 answers 403 for a missing object.
        if (!(error instanceof S3ServiceError && error.status === 403)) throw error;
      });
    },
    /** Requests to a silent store would never end by themselves. */
    breakOff() {
      inProgress.abort(new Error('The store does not answer'));
      inProgress = new AbortController();
    },
  };
}

/** Objects under given names, for content other than users' files. Each request has a timeout. */
export function s3Objects(config: Settings, { silenceMs = 60_000, requestMs = 300_000 } = {}) {
  const client = clientOf(config, (method) =>
    method === 'GET' ? new AbortController().signal : AbortSignal.timeout(requestMs),
  );
  return {
    async put(key: string, content: AsyncIterable<Buffer>) {
      await withDeadline(silenceMs, abortUploadsOf(client, key));
      await put(client, key, content, largePartBytes);
    },
    async read(key: string): Promise<Readable> {
      const response = await withDeadline(silenceMs, client.getObjectResponse(key));
      if (!response?.body) throw new BytesNotFoundError('The store has no such object');
      return readableOf(response.body, silenceMs);
    },
    async remove(key: string) {
      await client.deleteObject(key);
    },
    async keys(prefix: string): Promise<string[]> {
      const listed = await withDeadline(silenceMs, client.listObjects('/', prefix));
      return (listed ?? []).map(({ Key }) => Key);
    },
  };
}

const keyOf = (name: string) => `files/${name}`;

function clientOf(config: Settings, inProgress: (method?: string) => AbortSignal): S3mini {
  const fetch = createProxyFetch(config.proxyFor ?? noProxy);
  return new S3mini({
    endpoint: `${config.endpoint.href.replace(/\/+$/, '')}/${config.bucket}`,
    region: config.region,
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey.reveal(),
    fetch: (address, init) => {
      const headers = new Headers(init?.headers);
      // fetch computes it itself. Sent twice, as Node.js 22 would, undici rejects it.
      headers.delete('content-length');
      const signals = [inProgress(init?.method), ...(init?.signal ? [init.signal] : [])];
      // A request signed for one host must not go to another.
      return fetch(address, { ...init, headers, redirect: 'error', signal: AbortSignal.any(signals) });
    },
  });
}

async function put(client: S3mini, key: string, content: AsyncIterable<Buffer>, bytes = partBytes) {
  const parts = inParts(content, bytes);
  try {
    const first = await parts.next();
    if (first.done) throw new Error('There is nothing to store');
    if (first.value.length < bytes) await client.putObject(key, first.value);
    else await putParts(client, key, withFirst(first.value, parts));
  } finally {
    await parts.return(undefined);
  }
}

async function putParts(client: S3mini, key: string, parts: AsyncIterable<Buffer>) {
  const uploadId = await client.getMultipartUploadId(key);
  try {
    const sent: Awaited<ReturnType<typeof client.uploadPart>>[] = [];
    for await (const part of parts) sent.push(await client.uploadPart(key, uploadId, part, sent.length + 1));
    await client.completeMultipartUpload(key, uploadId, sent);
  } catch (error) {
    await client.abortMultipartUpload(key, uploadId);
    throw error;
  }
}

/** Aborts multipart uploads that never became an object. No listing of objects shows them, but they take up room. */
async function abortUploadsOf(client: S3mini, key: string) {
  const listed: unknown = await client.listMultipartUploads('/', '', 'GET', { prefix: key });
  for (const uploadId of idsIn(listed)) await client.abortMultipartUpload(key, uploadId);
}

/**
 * The bytes of an object as they arrive. If the store falls silent the stream fails, and the connection is released, as
 * it is when the reader leaves. Time counts only while bytes are awaited.
 */
function readableOf(body: ReadableStream<Uint8Array>, silenceMs: number): Readable {
  const reader = body.getReader();
  let silence: NodeJS.Timeout | undefined;
  const readable = new Readable({
    read() {
      const breakOff = (cause: unknown) => readable.destroy(new UnavailableError('storage', cause));
      silence = setTimeout(() => breakOff(new UnresponsiveError(`No bytes came within ${silenceMs} ms`)), silenceMs);
      reader
        .read()
        .finally(() => clearTimeout(silence))
        .then(({ done, value }) => readable.push(done ? null : value), breakOff);
    },
    destroy(error, callback) {
      clearTimeout(silence);
      reader.cancel(error).then(
        () => callback(error),
        // It had already failed.
        () => callback(error),
      );
    },
  });
  return readable;
}

/** The bytes in parts of the minimum size; the last one may be smaller. */
async function* inParts(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < bytes) continue;
    const all = Buffer.concat(pieces, size);
    let from = 0;
    for (; size - from >= bytes; from += bytes) yield all.subarray(from, from + bytes);
    pieces = [all.subarray(from)];
    size -= from;
  }
  if (size > 0) yield Buffer.concat(pieces, size);
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** The ids of running uploads, wherever the client puts them: one upload comes as an object, several as a list. */
function idsIn(listed: unknown): string[] {
  if (Array.isArray(listed)) return listed.flatMap(idsIn);
  if (!isObject(listed)) return [];
  return Object.entries(listed).flatMap(([name, value]) =>
    name.toLowerCase() === 'uploadid' && typeof value === 'string' ? [value] : idsIn(value),
  );
}
