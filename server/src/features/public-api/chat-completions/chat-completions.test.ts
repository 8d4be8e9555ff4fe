import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken, tokensPath } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import { withFault } from '#server/testing/faults';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { untilIndexed } from '#server/testing/knowledge';
import { ownTime } from '#server/testing/process-clock';
import { until } from '#server/testing/until';
import { loseStore, untilStoreIsBack } from '#server/testing/vector-stores';

const path = '/v1/chat/completions';
const asking = (content: string) => [{ role: 'user' as const, content }];

describe.each(engines)('chat completions on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const clientOf = (token: string) => new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 });
  async function newClient(visitor: HttpClient, draft: Parameters<typeof newToken>[1] = {}) {
    const { id, token } = await newToken(visitor, draft);
    return { id, token, client: clientOf(token) };
  }
  /** Usage recorded under a token once none of its calls is active. */
  const recorded = (tokenId: number) =>
    until('The end of the calls', () =>
      withDatabase(app, async (db) => {
        const open = await db.selectFrom('api_calls').select('id').where('access_token_id', '=', tokenId).execute();
        if (open.length > 0) return undefined;
        return db
          .selectFrom('usage_records')
          .selectAll()
          .where('access_token_id', '=', tokenId)
          .orderBy('id')
          .execute();
      }),
    );

  test.each([
    ['is nested without end', (depth: number) => `"model":"gpt-4o","x":${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['names a model by what no database can hold', () => '"model":"gpt\\u0000"'],
    ['names a model by half a character', () => '"model":"gpt\\ud800"'],
    ['names two models', () => '"model":"gpt-4o","model":"gpt-4o-mini"'],
  ])('refuses a request that %s before it is stored', async (_, field) => {
    const { visitor } = await app.someone();
    const { id, token } = await newClient(visitor);
    await forgetAsks(app);
    for (const more of ['', '"stream":true,"stream_options":{},']) {
      const text = `{"messages":[{"role":"user","content":"Hello"}],${more}${field(100_000)}}`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const refused = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: text });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    }
    expect(await asksOf(app)).toEqual([]);
    expect(await recorded(id)).toEqual([]);
  });

  test('answers with a model of the key, and records it once, with its price, under its token', async () => {
    const { visitor } = await app.someone();
    const { id, client } = await newClient(visitor);
    const answer = await client.chat.completions.create({ model: 'gpt-4o', messages: asking('Hello [[bench 5]]') });
    expect(answer.choices[0]?.message.content).toBe(benchText(5));
    expect(await recorded(id)).toMatchObject([
      {
        model: 'gpt-4o',
        purpose: 'chat',
        input_tokens: answer.usage?.prompt_tokens,
        output_tokens: answer.usage?.completion_tokens,
        cost_usd: expect.any(Number),
        estimated: 0,
      },
    ]);
    const [token] = (await visitor.get(tokensPath)).body;
    expect(token.spentUsd).toBeGreaterThan(0);
    const { body } = await visitor.get(`/api/analytics?${aroundToday()}`);
    expect(JSON.stringify(body)).toContain('gpt-4o');
  });

  test('streams with the official client’s helper, and knows the cost without being asked for it', async () => {
    const { visitor } = await app.someone();
    const { id, client } = await newClient(visitor);
    const stream = client.chat.completions.stream({ model: 'gpt-4o', messages: asking('Hello [[bench 20]]') });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    stream.on('chunk', (chunk) => chunks.push(chunk));
    expect(await stream.finalContent()).toBe(benchText(20));
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    expect(await recorded(id)).toMatchObject([{ output_tokens: 20, estimated: 0 }]);

    const answerChunks = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: asking('Hello [[bench 3]]'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let last: OpenAI.ChatCompletionChunk | undefined;
    for await (const chunk of answerChunks) last = chunk;
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    expect(await recorded(id)).toHaveLength(2);
  });

  test('uses the assistant’s instructions and settings where the client has none', async () => {
    const { visitor } = await app.someone();
    const { id, token, client } = await newClient(visitor);
    const assistantId = await createAssistant(visitor, {
      name: 'Legal review',
      model: 'gpt-4o',
      instructions: 'Speak like a lawyer.',
      temperature: 0.3,
    });
    const models = (await callApi(app, token, '/v1/models')).body.data;
    const own = models.filter(({ owned_by: owner }: { owned_by: string }) => owner === 'roster');
    expect(own).toHaveLength(2);
    await forgetAsks(app);
    for (const { id: model } of own) {
      const answer = await client.chat.completions.create({ model, messages: asking('Hello [[bench 2]]') });
      expect(answer.choices[0]?.message.content).toBe(benchText(2));
    }
    await client.chat.completions.create({
      model: own[0].id,
      temperature: 1,
      user: 'u1',
      messages: [{ role: 'system', content: 'Be short.' }, ...asking('Hello [[bench 2]]')],
    });
    const bodies = (await asksOf(app)).map(({ body }) => body);
    for (const body of bodies.slice(0, 2))
      expect(body).toEqual({
        model: 'gpt-4o',
        temperature: 0.3,
        messages: [{ role: 'system', content: 'Speak like a lawyer.' }, ...asking('Hello [[bench 2]]')],
      });
    expect(bodies[2]).toMatchObject({ temperature: 1, user: 'u1' });
    expect(bodies[2].messages.map(({ content }: { content: string }) => content)).toEqual([
      'Speak like a lawyer.',
      'Be short.',
      'Hello [[bench 2]]',
    ]);
    expect((await recorded(id)).map(({ assistant_id: of }) => of)).toEqual([assistantId, assistantId, assistantId]);
  });

  test('adds what the assistant’s files say, and reports lost files that are made again', async () => {
    const { visitor, key } = await app.someone();
    const { client, token } = await newClient(visitor);
    const assistantId = await createAssistant(visitor, { name: 'Reader', model: 'gpt-4o', instructions: 'Read.' });
    const { id: fileId } = await uploaded(app, visitor, { filename: 'terms.txt', content: 'Thirty days.' });
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [fileId] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    await forgetAsks(app);
    await client.chat.completions.create({ model: 'Reader@roster', messages: asking('How long? [[bench 2]]') });
    const [request] = await asksOf(app);
    expect(request?.body.messages).toMatchObject([
      { role: 'system', content: 'Read.' },
      { role: 'system', content: expect.stringContaining('[terms.txt]\nA passage of terms.txt.') },
      { role: 'user' },
    ]);
    await loseStore(app, key);
    const lost = await callApi(app, token, path, {
      method: 'POST',
      body: { model: 'Reader@roster', messages: asking('How long? [[bench 2]]') },
    });
    expect([lost.status, lost.headers['x-roster-note']]).toEqual([
      200,
      expect.stringContaining('could not be searched'),
    ]);
    await untilStoreIsBack(app, key, 1);
  });

  test('names missing models, including another user’s assistant', async () => {
    const [{ visitor: one }, { visitor: other }] = [await app.someone(), await app.someone()];
    await createAssistant(one, { name: 'Mine alone', model: 'gpt-4o' });
    const { token: ones } = await newClient(one);
    const [assistant] = (await callApi(app, ones, '/v1/models')).body.data;
    const { id, token } = await newClient(other);
    for (const model of [assistant.id, 'Mine alone@roster', `asst_${'A'.repeat(24)}`]) {
      const { status, body } = await callApi(app, token, path, {
        method: 'POST',
        body: { model, messages: asking('Hi') },
      });
      expect([status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model']);
    }
    expect(await recorded(id)).toEqual([]);
  });

  test.each([
    ['no model', { messages: asking('Hi') }, 'model'],
    ['no messages', { model: 'gpt-4o', messages: [] }, 'messages'],
    ['a stream that is no flag', { model: 'gpt-4o', messages: asking('Hi'), stream: 'yes' }, 'stream'],
  ])('refuses a request with %s', async (_what, wrong, param) => {
    const { token } = await newClient(await app.withKey('eve'));
    const { status, body } = await callApi(app, token, path, { method: 'POST', body: wrong });
    expect([status, body.error.type, body.error.param]).toEqual([400, 'invalid_request_error', param]);
  });

  describe('a used-up budget', () => {
    const refused = async (token: string, model = 'gpt-4o') => {
      await forgetAsks(app);
      const { status, body } = await callApi(app, token, path, {
        method: 'POST',
        body: { model, messages: asking('Hi') },
      });
      expect([status, body.error.type, body.error.code], JSON.stringify(body)).toEqual([
        429,
        'insufficient_quota',
        'insufficient_quota',
      ]);
      expect(await asksOf(app)).toEqual([]);
    };
    const spend = (client: OpenAI, model: string) =>
      client.chat.completions.create({ model, messages: asking('Hello [[bench 400]]') });
    const budget = { amountUsd: 0.01, warnAt: 0.8, hardStop: true, tz: 'UTC' };
    const setPrice = (visitor: HttpClient) =>
      visitor.post('/api/analytics/prices', { model: 'dear', input: 1, output: 1 });

    test('refuses before anything is asked over the token’s', async () => {
      const { visitor } = await app.someone();
      const { id, token, client } = await newClient(visitor, { monthlyBudgetUsd: 0.01 });
      await spend(client, 'gpt-4o');
      await recorded(id);
      // As after many more calls.
      await withDatabase(app, (db) =>
        db.updateTable('access_tokens').set({ spent_usd: 0.02 }).where('id', '=', id).execute(),
      );
      await refused(token);
      const { client: another } = await newClient(visitor);
      await spend(another, 'gpt-4o');
      // A new month starts with nothing spent.
      await withDatabase(app, (db) =>
        db.updateTable('access_tokens').set({ spent_month: '2020-01' }).where('id', '=', id).execute(),
      );
      await spend(client, 'gpt-4o');
      await until('The cost of the new month', async () => {
        const found = (await visitor.get(tokensPath)).body.find((one: { id: number }) => one.id === id);
        return found.spentUsd > 0 && found.spentUsd < 0.02;
      });
    });

    test('refuses before anything is asked over the user’s, and the assistant’s', async () => {
      const { visitor } = await app.someone();
      const { id, token, client } = await newClient(visitor);
      await setPrice(visitor);
      const assistantId = await createAssistant(visitor, { name: 'Dear', model: 'gpt-4o' });
      await spend(client, 'Dear@roster');
      await recorded(id);
      await visitor.post('/api/analytics/budgets', { ...budget, amountUsd: 0.01, assistantId });
      await withDatabase(app, async (db) => {
        for (const table of ['usage_records', 'usage_by_quarter', 'usage_by_day'] as const)
          await db.updateTable(table).set({ cost_usd: 1 }).execute();
      });
      await refused(token, 'Dear@roster');
      await spend(client, 'gpt-4o');
      await visitor.post('/api/analytics/budgets', { ...budget, assistantId: null });
      await refused(token);
    });
  });

  test('reports what the provider refused, and records nothing', async () => {
    const { visitor, key } = await app.someone();
    const { id, token, client } = await newClient(visitor);
    const failures: [number, number, string][] = [
      [401, 403, 'provider_key_rejected'],
      [429, 429, 'rate_limit_exceeded'],
      [500, 502, 'provider_unavailable'],
    ];
    for (const [status, expected, code] of failures)
      await withFault(app, { status }, { key }, async () => {
        const { status: answered, body } = await callApi(app, token, path, {
          method: 'POST',
          body: { model: 'gpt-4o', messages: asking('Hi') },
        });
        expect([answered, body.error.code], JSON.stringify(body)).toEqual([expected, code]);
        expect(JSON.stringify(body)).not.toContain(key);
      });
    expect(await recorded(id)).toEqual([]);
    await expect(
      client.chat.completions.create({ model: 'no-such-model', messages: asking('Hi') }),
    ).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  test('requires a provider key', async () => {
    const { token } = await newToken(await app.as('keyless'));
    const { status, body } = await callApi(app, token, path, {
      method: 'POST',
      body: { model: 'gpt-4o', messages: asking('Hi') },
    });
    expect([status, body.error.code]).toEqual([400, 'no_provider_key']);
  });

  test.each([
    [path, { messages: asking('Hi') }],
    ['/v1/responses', { input: 'Hi' }],
    ['/v1/responses', { input: 'Hi', background: true }],
  ])('says on %s that no connection has the name before the slash (%j)', async (address, rest) => {
    const { token } = await newToken(await app.as('nameless'));
    const request = { ...rest, model: 'Home/gpt-4o' };
    const { status, body } = await callApi(app, token, address, { method: 'POST', body: request });
    expect([status, body.error.code]).toEqual([404, 'model_not_found']);
    expect(body.error.message).toMatch(/ None of your connections is called ‘Home’\.$/);
  });

  test('reports a broken stream in the stream, and records an estimate of what came', async () => {
    const { visitor } = await app.someone();
    const { id, token } = await newClient(visitor);
    const body = { model: 'gpt-4o', stream: true, messages: asking('[[bench 20]] [[drop after 5]]') };
    const { status, text } = await callApi(app, token, path, { method: 'POST', body });
    expect(status).toBe(200);
    expect(text).toContain('t0004');
    expect(text).not.toContain('[DONE]');
    expect(JSON.parse(text.trim().split('\n').at(-1)?.slice(6) ?? '')).toMatchObject({
      error: { type: 'server_error', code: 'provider_broke_off' },
    });
    const [record] = await recorded(id);
    expect(record).toMatchObject({ estimated: 1 });
    expect(record?.output_tokens).toBeGreaterThanOrEqual(5);
  });

  test('ends within five seconds of its token, and with its client', async () => {
    const { visitor } = await app.someone();
    const { id, token, client } = await newClient(visitor);
    const slow = { model: 'gpt-4o', messages: asking('[[bench 20000]] [[delay 50]]') };
    const ended = callApi(app, token, path, { method: 'POST', body: { ...slow, stream: true } });
    const left = new AbortController();
    const abandoned = (async () => {
      for await (const _ of await client.chat.completions.create({ ...slow, stream: true }, { signal: left.signal }));
    })().catch((error: unknown) => error);
    await until('Both calls', () =>
      withDatabase(app, async (db) => (await db.selectFrom('api_calls').select('id').execute()).length >= 2),
    );
    left.abort();
    await abandoned;
    await until('The end of the abandoned one', () =>
      withDatabase(app, async (db) => (await db.selectFrom('api_calls').select('id').execute()).length === 1),
    );
    const revokedAt = ownTime();
    expect((await visitor.delete(`${tokensPath}/${id}`)).status).toBe(204);
    const { text } = await ended;
    expect(ownTime() - revokedAt).toBeLessThan(5_000);
    expect(text).toContain('"code":"invalid_api_key"');
    expect(await recorded(id)).toMatchObject([{ estimated: 1 }, { estimated: 1 }]);
  });

  test('records calls that a crash has ended by what was sent', async () => {
    const { visitor } = await app.someone();
    const { id } = await newClient(visitor);
    const { id: userId } = (await visitor.get('/api/user')).body;
    await withDatabase(app, (db) =>
      db
        .insertInto('api_calls')
        .values({
          user_id: userId,
          access_token_id: id,
          assistant_id: null,
          model: 'gpt-4o',
          input_tokens: 1_000,
          instance: 2_000_000_000,
          created_at: new Date().toISOString(),
        })
        .execute(),
    );
    await app.restart();
    expect(await recorded(id)).toMatchObject([
      { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 0, estimated: 1, cost_usd: expect.any(Number) },
    ]);
  });
});
