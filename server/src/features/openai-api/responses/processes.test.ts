import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { asksOf } from '#server/testing/chat';
import { program, recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

// On PostgreSQL alone: a database in SQLite has one process, which the lock of its folder sees to.
test.each(['cancelled', 'deleted'])('a response that another process writes can be %s from this one', async (wish) => {
  const app = await startApp('postgres');
  onTestFinished(() => app.stop());
  const second = await app.secondProcess();
  const { id: tokenId, token, client } = await program(app, await app.withKey('ada'));
  const there = new OpenAI({ baseURL: `${second.url}/v1`, apiKey: token, maxRetries: 0 });
  const input = '[[bench 4000]] [[delay 20]]';
  const { id } = await client.responses.create({ model: 'gpt-4o', input, background: true });
  await until('The first words', async () => ((await asksOf(app))[0]?.tokens ?? 0) > 0);

  if (wish === 'cancelled') {
    expect(await there.responses.cancel(id)).toMatchObject({ id, status: 'cancelled', error: null });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
    // Once it has ended, nothing changes.
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
  } else {
    await there.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  }
  expect(await recorded(app, tokenId)).toMatchObject([{ estimated: 1 }]);
  const left = await until('The end at the provider', async () => {
    const [asked] = await asksOf(app);
    return asked?.aborted && asked;
  });
  expect(left.tokens).toBeLessThan(4_000);
});
