import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { File } from '@roster/contracts/files/files';
import { request } from 'undici';
import type { Engine } from '#server/db/connect';
import { engines, startApp } from './app.ts';
import { until } from './chat.ts';
import type { HttpClient } from './http-client.ts';
import { startS3 } from './s3.ts';
import { bareRequest } from './test-environment.ts';

type Part = { name: string; filename?: string; type?: string; content: string | Buffer };

export const boundary = 'boundary-of-a-test';
export const formType = `multipart/form-data; boundary=${boundary}`;

/** A form, byte for byte as given: names and types may be anything. */
export function form(parts: Part[]): Buffer {
  const pieces = parts.flatMap(({ name, filename, type, content }) => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
        `${type === undefined ? '' : `content-type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

export const cookieOf = ({ cookies }: HttpClient) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
export const ownForm = (visitor: HttpClient) => ({
  cookie: cookieOf(visitor),
  'sec-fetch-site': 'same-origin',
  'content-type': formType,
});

type Upload = { filename?: string; type?: string; content?: string | Buffer; purpose?: string };

/** Uploads as the page does. */
export function upload(app: { url: string }, visitor: HttpClient, wanted: Upload = {}) {
  const { filename = 'notes.txt', type = 'text/plain', content = 'Hello', purpose = 'assistants' } = wanted;
  const body = form([
    { name: 'purpose', content: purpose },
    { name: 'file', filename, type, content },
  ]);
  return bareRequest(app, 'POST', '/api/files/upload', ownForm(visitor), body);
}

export async function uploaded(app: { url: string }, visitor: HttpClient, wanted: Upload = {}): Promise<File> {
  const { status, text, body } = await upload(app, visitor, wanted);
  if (status !== 201) throw new Error(`Not uploaded: ${status} ${text}`);
  return body;
}

export async function download(app: { url: string }, visitor: HttpClient, id: number) {
  const answer = await request(`${app.url}/api/files/${id}/content`, { headers: { cookie: cookieOf(visitor) } });
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
export const someBytes = (size: number) => randomBytes(size);

export async function fileOf(visitor: HttpClient, id: number): Promise<File | undefined> {
  const { body } = await visitor.get('/api/files?limit=100');
  return body.find((file: File) => file.id === id);
}

/** Waits until the provider file has this state. */
export const untilCopy = (visitor: HttpClient, id: number, state: string) =>
  until(`The state ${state}`, async () => {
    const file = await fileOf(visitor, id);
    return file?.provider.state === state && file;
  });

/** The names in the folder of stored files. */
export function inStore({ dataDir }: { dataDir: string }): string[] {
  const folder = join(dataDir, 'files');
  return existsSync(folder) ? readdirSync(folder) : [];
}

export type AtProvider = { id: string; filename: string; bytes: number; purpose: string };

/** The files of a key at the provider. */
export async function atProvider({ provider }: { provider: { url: string } }, key: string): Promise<AtProvider[]> {
  const answer = await request(`${provider.url}/files`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = JSON.parse(await answer.body.text());
  return data;
}

/** Every engine with files on disk, and one with files in an S3-compatible store. */
const everyFilePlace: [engine: Engine, store: 'disk' | 'S3'][] = [
  ['sqlite', 'disk'],
  ['postgres', 'disk'],
  ['sqlite', 'S3'],
];
export const filePlaces = everyFilePlace.filter(([engine]) => engines.includes(engine));

/** The product with its files in the given place. */
export async function startFileApp(engine: Engine, store: 'disk' | 'S3') {
  const s3 = store === 'S3' ? await startS3() : undefined;
  const app = await startApp(engine, s3 ? { env: s3.env } : {});
  return {
    app,
    s3,
    /** The names of stored files. */
    stored: () => (s3 ? s3.names() : inStore(app)),
    async stop() {
      await app.stop();
      await s3?.close();
    },
  };
}
