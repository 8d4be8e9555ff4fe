import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { UnavailableError } from '#server/lib/errors';
import { Secret } from '#server/security/secret';
import { sha256, someBytes } from '#server/testing/files';
import { startS3 } from '#server/testing/s3';
import { diskStore } from './disk.ts';
import { type FileStore, newFileKey } from './file-store.ts';
import { s3Objects, s3Store } from './s3.ts';

type Place = { store: FileStore; names: () => string[]; close: () => void | Promise<void> };

async function disk(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-store-'));
  return {
    store: diskStore(folder),
    names: () => readdirSync(folder),
    close: () => rmSync(folder, { recursive: true }),
  };
}

async function s3(): Promise<Place> {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, names, close } = await startS3();
  const secret = new Secret(secretAccessKey);
  const store = s3Store({ endpoint: new URL(endpoint), bucket, region, accessKeyId, secretAccessKey: secret });
  return { store, names, close };
}

async function* inChunks(content: Buffer, size = 65_536) {
  for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
}

async function* breakingAfter(content: Buffer) {
  yield* inChunks(content);
  throw new Error('The sender is gone');
}

describe.each([
  ['a folder', disk],
  ['an S3-compatible store', s3],
])('%s', (_name, open) => {
  let place: Place;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(() => place.close());

  const part = 5 * 1024 * 1024;
  test.each([1, 65_536, part - 1, part, part + 1, 2 * part, 3 * part + 17])(
    'returns %i bytes unchanged',
    async (size) => {
      const { store, names } = place;
      const [key, content] = [newFileKey(), someBytes(size)];
      await store.put(key, inChunks(content));
      expect(names()).toEqual([key]);
      expect(sha256(await buffer(await store.read(key)))).toBe(sha256(content));
      await store.remove(key);
      expect(names()).toEqual([]);
      await expect(store.read(key)).rejects.toThrow();
    },
  );

  test.each([0, 1_000, part + 1, 3 * part])('keeps nothing of content that breaks off after %i bytes', async (size) => {
    const { store, names } = place;
    const key = newFileKey();
    await expect(store.put(key, breakingAfter(someBytes(size)))).rejects.toThrow('The sender is gone');
    expect(names()).toEqual([]);
    await store.remove(key);
  });

  test('reports its room, or that it is unknown', async () => {
    const free = await place.store.freeBytes();
    expect(free === undefined || free > 0).toBe(true);
  });
});

test('leaves no file behind that is still being created when its content breaks off', async () => {
  const { store, names, close } = await disk();
  const { open } = fs;
  const slow = vi.spyOn(fs, 'open').mockImplementation((...args: unknown[]) => {
    setTimeout(() => Reflect.apply(open, fs, args), 20);
  });
  try {
    await expect(store.put(newFileKey(), breakingAfter(someBytes(0)))).rejects.toThrow('The sender is gone');
    expect(slow).toHaveBeenCalledOnce();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(names()).toEqual([]);
  } finally {
    slow.mockRestore();
    await close();
  }
});

test('deletes parts that a crash left in an S3-compatible store with the file', async () => {
  const server = await startS3();
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server;
  const secret = new Secret(secretAccessKey);
  const store = s3Store({ endpoint: new URL(endpoint), bucket, region, accessKeyId, secretAccessKey: secret });
  try {
    const [key, other] = [newFileKey(), newFileKey()];
    // Nobody ends these uploads: the store rejects that.
    server.refuse((method, path) =>
      path.includes('uploadId') && (method === 'DELETE' || path.includes('partNumber=2'))
        ? { status: 500, code: 'InternalError' }
        : undefined,
    );
    for (const one of [key, other]) await expect(store.put(one, inChunks(someBytes(12_000_000)))).rejects.toThrow();
    server.refuse(() => undefined);
    expect(server.names().toSorted()).toEqual([`${key}.part`, `${other}.part`].toSorted());
    await store.remove(key);
    expect(server.names()).toEqual([`${other}.part`]);
  } finally {
    await server.close();
  }
});

test('opens nothing with a wrong secret', async () => {
  const server = await startS3();
  const { endpoint, bucket, region, accessKeyId } = server;
  const store = s3Store({
    endpoint: new URL(endpoint),
    bucket,
    region,
    accessKeyId,
    secretAccessKey: new Secret('another-secret'),
  });
  try {
    await expect(store.put(newFileKey(), inChunks(someBytes(10)))).rejects.toThrow(/SignatureDoesNotMatch|403/);
    expect(server.names()).toEqual([]);
  } finally {
    await server.close();
  }
});

describe('S3-compatible store that falls silent in the middle of an object', () => {
  const silenceMs = 200;
  const [sent, size] = [1_000, 300_000];

  /** `closed`: the connection of the object has been closed. */
  async function silentStore() {
    const closed = Promise.withResolvers<true>();
    const resume = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      response.once('close', () => closed.resolve(true));
      response.writeHead(200, { 'content-length': size }).write(Buffer.alloc(sent));
      void resume.promise.then(() => response.end(Buffer.alloc(size - sent)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port }: { port: number } = Object(server.address());
    const access = { bucket: 'bucket', region: 'here', accessKeyId: 'id', secretAccessKey: new Secret('secret') };
    const store = s3Store({ endpoint: new URL(`http://127.0.0.1:${port}`), ...access }, { silenceMs });
    return { content: await store.read(newFileKey()), closed: closed.promise, resume: resume.resolve };
  }

  test('fails the read and releases the connection', async () => {
    const { content, closed } = await silentStore();
    await expect(buffer(content)).rejects.toThrow(UnavailableError);
    expect(await closed).toBe(true);
  });

  test('releases the connection when its reader leaves', async () => {
    const { content, closed } = await silentStore();
    for await (const _ of content) break;
    expect(await closed).toBe(true);
  });

  test('is not confused with a slow reader', async () => {
    const { content, resume } = await silentStore();
    resume();
    let read = 0;
    for await (const piece of content) {
      if (read === 0) await sleep(2 * silenceMs);
      read += piece.length;
    }
    expect(read).toBe(size);
  });
});

test('ends writes, reads and lists when a store accepts a request and never answers', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port }: { port: number } = Object(server.address());
  const access = { bucket: 'bucket', region: 'here', accessKeyId: 'id', secretAccessKey: new Secret('secret') };
  const silent = { endpoint: new URL(`http://127.0.0.1:${port}`), ...access };
  const objects = s3Objects(silent, { silenceMs: 50, requestMs: 50 });
  async function* content() {
    yield Buffer.from('x');
  }
  await expect(objects.put('a', content())).rejects.toThrow('no answer within');
  await expect(objects.read('a')).rejects.toThrow('no answer within');
  await expect(objects.keys('')).rejects.toThrow('no answer within');
  await expect(objects.remove('a')).rejects.toThrow('timeout');
});
