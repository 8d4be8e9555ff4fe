import { Readable } from 'node:stream';
import { S3mini, S3ServiceError } from 's3mini';
import type { Config } from '#server/config';
import { isObject } from '#server/is-object';
import { type FileStore, NoSuchBytes } from './file-store.ts';

/** What S3 demands of each part but the last. */
const partBytes = 5 * 1024 * 1024;
const prefix = 'files/';

/** An S3-compatible store. What fits into one part goes in one request, the rest in parts. */
export function s3Store(config: NonNullable<Config['s3']>): FileStore & { breakOff: () => void } {
  let underWay = new AbortController();
  const client = new S3mini({
    endpoint: `${config.endpoint.href.replace(/\/+$/, '')}/${config.bucket}`,
    region: config.region,
    accessKeyId: config.accessKeyId,
    secretAccessKey: config.secretAccessKey.reveal(),
    // What is signed for one host goes to no other one.
    fetch: (address, init) =>
      fetch(address, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.any([underWay.signal, ...(init?.signal ? [init.signal] : [])]),
      }),
  });

  /** Parts that no object came of. They are in no list of objects, and cost their room until they are ended. */
  async function abortUploadsOf(key: string) {
    for (const uploadId of await uploadsOf(key)) await client.abortMultipartUpload(key, uploadId);
  }

  async function uploadsOf(key: string): Promise<string[]> {
    const listed: unknown = await client.listMultipartUploads('/', '', 'GET', { prefix: key });
    return idsIn(listed);
  }

  async function putParts(key: string, uploadId: string, parts: AsyncIterable<Buffer>) {
    const sent: Awaited<ReturnType<typeof client.uploadPart>>[] = [];
    for await (const part of parts) sent.push(await client.uploadPart(key, uploadId, part, sent.length + 1));
    await client.completeMultipartUpload(key, uploadId, sent);
  }

  return {
    async put(name, content) {
      const key = `${prefix}${name}`;
      const parts = inParts(content);
      try {
        const first = await parts.next();
        if (first.done) throw new Error('There is nothing to store');
        if (first.value.length < partBytes) await client.putObject(key, first.value);
        else {
          const uploadId = await client.getMultipartUploadId(key);
          await putParts(key, uploadId, withFirst(first.value, parts)).catch(async (error: unknown) => {
            await client.abortMultipartUpload(key, uploadId);
            throw error;
          });
        }
      } finally {
        await parts.return(undefined);
      }
    },
    async read(name) {
      const response = await client.getObjectResponse(`${prefix}${name}`);
      if (!response?.body) throw new NoSuchBytes('The store has no such object');
      return Readable.from(response.body);
    },
    async remove(name) {
      const key = `${prefix}${name}`;
      await abortUploadsOf(key);
      await client.deleteObject(key);
    },
    freeBytes: async () => undefined,
    /** Whether there is such an object does not matter: that it can be asked does. */
    async check() {
      await client.objectExists(`${prefix}check`).catch((error: unknown) => {
        // Where listing is not allowed, so is the answer that there is none.
        if (!(error instanceof S3ServiceError && error.status === 403)) throw error;
      });
    },
    /** Where the store has gone silent, nothing that waits for it will end by itself. */
    breakOff() {
      underWay.abort(new Error('The store does not answer'));
      underWay = new AbortController();
    },
  };
}

/** The bytes in parts of the size S3 demands; the last one may be smaller. */
async function* inParts(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < partBytes) continue;
    const all = Buffer.concat(pieces, size);
    let from = 0;
    for (; size - from >= partBytes; from += partBytes) yield all.subarray(from, from + partBytes);
    pieces = [all.subarray(from)];
    size -= from;
  }
  if (size > 0) yield Buffer.concat(pieces, size);
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** The ids of uploads under way, wherever the client puts them: one upload comes as an object, several as a list. */
function idsIn(listed: unknown): string[] {
  if (Array.isArray(listed)) return listed.flatMap(idsIn);
  if (!isObject(listed)) return [];
  return Object.entries(listed).flatMap(([name, value]) =>
    name.toLowerCase() === 'uploadid' && typeof value === 'string' ? [value] : idsIn(value),
  );
}
