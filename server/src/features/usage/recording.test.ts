import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread, regenerated, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('recording usage on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  const recordsOf = (threadId: number) =>
    withDatabase(app, (db) =>
      db.selectFrom('usage_records').selectAll().where('thread_id', '=', threadId).orderBy('id').execute(),
    );
  const named = (more: Record<string, unknown> = {}) => newThread(ada, { title: 'Named', ...more });

  test('stores one record per run, with the provider’s counts and their cost', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-4o' });
    const threadId = await named({ assistantId });
    const { run, answer, message } = await ask(app, ada, threadId, '[[tokens 40]]');
    const again = await regenerated(app, ada, message.id);
    const records = await recordsOf(threadId);
    expect(records.map(({ run_id, purpose }) => [run_id, purpose])).toEqual([
      [run.id, 'chat'],
      [again.run.id, 'chat'],
    ]);
    const [record] = records;
    const { id: userId } = (await ada.get('/api/user')).body;
    expect(record).toMatchObject({
      user_id: userId,
      assistant_id: assistantId,
      model: 'gpt-4o',
      output_tokens: 40,
      cached_tokens: 0,
      reasoning_tokens: 0,
      estimated: 0,
      price_as_of: '2026-11-20',
    });
    expect(record?.cost_usd).toBeCloseTo(((record?.input_tokens ?? 0) * 2.5 + 40 * 10) / 1_000_000, 12);
    expect(record?.day).toBe(record?.created_at.slice(0, 10));
    expect(answer.usage).toEqual({
      inputTokens: record?.input_tokens,
      cachedTokens: 0,
      outputTokens: 40,
      reasoningTokens: 0,
      costUsd: record?.cost_usd,
      estimated: false,
    });
  });

  test('counts cached input and reasoning separately', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-5.6-sol', reasoningEffort: 'low' });
    const threadId = await named({ assistantId });
    const { answer } = await ask(app, ada, threadId, `${'many words '.repeat(800)}[[tokens 10]]`);
    const [record] = await recordsOf(threadId);
    expect(record?.cached_tokens).toBeGreaterThan(0);
    expect(record?.cache_write_tokens).toBeGreaterThan(0);
    expect(record?.reasoning_tokens).toBe(64);
    expect(record?.output_tokens).toBe(74);
    const { input_tokens: input = 0, cached_tokens: cached = 0, cache_write_tokens: written = 0 } = record ?? {};
    const cost = ((input - cached - written) * 4 + cached * 0.4 + written * 5 + 74 * 20) / 1_000_000;
    expect(record?.cost_usd).toBeCloseTo(cost, 12);
    expect(answer.usage).toMatchObject({ cachedTokens: cached, reasoningTokens: 64, outputTokens: 74 });
  });

  test('leaves the cost of a model without a known price unknown, not zero', async () => {
    const threadId = await named({ assistantId: await createAssistant(ada, { model: 'chat-latest' }) });
    const { answer } = await ask(app, ada, threadId, '[[tokens 5]]');
    expect(answer.usage).toMatchObject({ outputTokens: 5, costUsd: null });
    expect((await recordsOf(threadId))[0]).toMatchObject({ cost_usd: null, price_as_of: null });
  });

  test('costs nothing if it fails before the first word, and is estimated after it', async () => {
    const threadId = await named();
    await ask(app, ada, threadId, '[[404]]');
    expect(await recordsOf(threadId)).toEqual([]);
    const { answer } = await ask(app, ada, threadId, '[[bench 50]] [[drop after 8]]');
    const [record] = await recordsOf(threadId);
    expect(record).toMatchObject({ estimated: 1, output_tokens: 12, model: 'gpt-4o' });
    expect(record?.input_tokens).toBeGreaterThan(0);
    expect(answer.usage?.estimated).toBe(true);
  });

  test('records a title separately, for the same run', async () => {
    const threadId = await newThread(ada);
    const { run } = await ask(app, ada, threadId, 'Name this, please');
    const records = await until('Both records', async () => {
      const found = await recordsOf(threadId);
      return found.length === 2 && found;
    });
    expect(records.map(({ run_id, purpose }) => [run_id, purpose])).toEqual([
      [run.id, 'chat'],
      [run.id, 'title'],
    ]);
  });

  test('keeps usage when the conversation is deleted', async () => {
    const threadId = await named();
    await ask(app, ada, threadId, 'hello');
    const before = await recordsOf(threadId);
    await ada.delete(`/api/threads/${threadId}`);
    expect(await recordsOf(threadId)).toEqual(before);
  });
});

test('applies the operator’s prices', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-prices-'));
  const file = join(folder, 'prices.json');
  const gpt4o = { match: 'gpt-4o', price: { input: 0, cachedInput: null, output: 1_000_000 } };
  const models = [{ ...gpt4o, temperature: 'yes', efforts: [], contextTokens: 128_000 }];
  const prices = { asOf: '2026-11-01', source: 'contract', unit: 'USD per 1,000,000 tokens', models };
  writeFileSync(file, JSON.stringify(prices));
  const app = await startApp('sqlite', { env: { MODEL_CATALOGUE: file } });
  const ada = await app.withKey('ada');
  const { answer } = await ask(app, ada, await newThread(ada, { title: 'Named' }), '[[tokens 3]]');
  expect(answer.usage?.costUsd).toBe(3);
  await app.stop();
  rmSync(folder, { recursive: true });
});
