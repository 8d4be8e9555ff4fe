import OpenAI, { toFile } from 'openai';
import { request } from 'undici';
import { newToken } from './access-tokens.ts';
import type { TestApp } from './app.ts';
import type { HttpClient } from './http-client.ts';
import { filesIn, makeDue, storesOf } from './knowledge.ts';
import { until } from './until.ts';

type Installation = Pick<TestApp, 'provider' | 'dataDir' | 'databaseUrl'>;

/** A client with access to files, through the official client library. */
export async function fileClient(app: { url: string }, visitor: HttpClient) {
  const { token } = await newToken(visitor, { rights: ['files'] });
  return { token, client: new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 }) };
}

/** While `work` runs, the provider’s time advances, and later work is due now. */
export async function whileIndexing<Result>(app: Installation, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // The caller handles its failure below.
  ended.catch(() => undefined);
  const headers = { 'content-type': 'application/json' };
  const advance = { method: 'POST', headers, body: JSON.stringify({ advanceMs: 10_000 }) } as const;
  while (!isDone) {
    await (await request(`${app.provider.origin}/__simulator/clock`, advance)).body.dump();
    await makeDue(app);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ended;
}

/** A request to the provider itself, bypassing Roster. */
export async function atProvider(
  app: Pick<TestApp, 'provider'>,
  key: string,
  path: string,
  method: 'GET' | 'DELETE' = 'GET',
) {
  const answer = await request(`${app.provider.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const body = await answer.body.text();
  return { status: answer.statusCode, body: JSON.parse(body) };
}

/** A user with a client, and a vector store with these files indexed. */
export async function personWithStore(app: TestApp, ...names: string[]) {
  const { visitor, key } = await app.someone();
  const { token } = await newToken(visitor);
  const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const files: OpenAI.FileObject[] = [];
  for (const name of names)
    files.push(await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'assistants' }));
  const { id: storeId } = await client.vectorStores.create({ file_ids: files.map(({ id }) => id) });
  const isDone = () =>
    whileIndexing(
      app,
      until('The end of indexing', async () => {
        const { status, file_counts: counts } = await client.vectorStores.retrieve(storeId);
        return status === 'completed' && counts.completed === names.length;
      }),
    );
  await isDone();
  return { visitor, key, token, client, files, storeId, isDone };
}

/** Deletes the store of this key at the provider. */
export async function loseStore(app: Pick<TestApp, 'provider'>, key: string) {
  const [there] = await storesOf(app, key);
  await atProvider(app, key, `/vector_stores/${there?.id}`, 'DELETE');
}

/** Waits until the store exists again with this many files. */
export const untilStoreIsBack = (app: Installation, key: string, files: number) =>
  whileIndexing(
    app,
    until('The new store', async () => {
      const [made] = await storesOf(app, key);
      return made !== undefined && (await filesIn(app, key, made.id)).length === files;
    }),
  );
