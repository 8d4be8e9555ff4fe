import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { newClient, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';
import { responseRepository } from './repository.ts';

type Wish = 'cancelled' | 'deleted';
const wishes: Wish[] = ['cancelled', 'deleted'];

/** Acts through another process. A SQLite database has only one, so there it writes what another one would. */
async function doneElsewhere(app: TestApp, token: string, name: string, wish: Wish) {
  if (app.databaseUrl) {
    const { url } = await app.secondProcess();
    const { responses } = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
    if (wish === 'deleted') return void (await responses.delete(name));
    return expect(await responses.cancel(name)).toMatchObject({ id: name, status: 'cancelled', error: null });
  }
  await withDatabase(app, async (db) => {
    const { id, user_id: userId } = await db
      .selectFrom('responses')
      .select(['id', 'user_id'])
      .executeTakeFirstOrThrow();
    const repository = responseRepository(db);
    await repository.requestCancel(userId, id);
    if (wish === 'deleted') await repository.remove(userId, id);
  });
}

describe.each(engines)('background responses on %s', (engine) => {
  test.each(wishes)('can be %s from another process', async (wish) => {
    const app = await startApp(engine);
    onTestFinished(() => app.stop());
    const { id: tokenId, token, client } = await newClient(app, await app.withKey('ada'));
    const input = '[[bench 40000]] [[delay 20]]';
    const { id } = await client.responses.create({ model: 'gpt-4o', input, background: true });
    await until('The first words', async () => ((await asksOf(app))[0]?.tokens ?? 0) > 0);
    await doneElsewhere(app, token, id, wish);
    const left = await until('The end at the provider', async () => {
      const [request] = await asksOf(app);
      return request?.aborted && request;
    });
    expect(left.tokens).toBeLessThan(40_000);
    expect(await recorded(app, tokenId)).toMatchObject([{ estimated: 1 }]);
    if (wish === 'deleted') await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    else {
      expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
      // Nothing changes after its end.
      expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    }
  });
});
