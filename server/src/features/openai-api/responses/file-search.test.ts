import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { loseStore, personWithStore, untilStoreIsBack } from '#server/testing/vector-stores';

const model = 'gpt-4o';
const input = '[[bench 6]] What?';
const searching = (...vector_store_ids: string[]) => ({
  model,
  input,
  tools: [{ type: 'file_search' as const, vector_store_ids }],
});

describe.each(engines)('responses with file_search on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test('say so where the provider has lost the vector store, which is then made again', async () => {
    const { client, key, storeId, isDone } = await personWithStore(app, 'handbook.md');
    await loseStore(app, key);
    await expect(client.responses.create(searching(storeId))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('being indexed again'),
    });
    await untilStoreIsBack(app, key, 1);
    await isDone();
    expect(await client.responses.create(searching(storeId))).toMatchObject({ status: 'completed' });
    // What the provider has besides is for the program to know.
    await expect(client.responses.create(searching(storeId, 'vs_theirs'))).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('vs_theirs'),
    });
  });
});
