import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { newThread, until } from '#server/testing/chat';
import { newComparison } from '#server/testing/comparisons';
import { newOffer } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { startPricedProvider } from '#server/testing/offers';
import { newSet, typed } from '#server/testing/test-sets';

type Answer = { status: number; body: unknown };
type Attempt = (model: string) => Promise<Answer>;

describe.each(engines)('connections of others on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let provider: Awaited<ReturnType<typeof startPricedProvider>>;
  const foreign: number[] = [];
  let attempts: Record<string, Attempt>;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
    ada = await app.withKey('ada');
    const bob = await app.as('bob');
    provider = await startPricedProvider(() => 0.5);
    const draft = { preset: 'other', name: 'Bob’s secret', baseUrl: provider.url, key: `sk-bob-${'k'.repeat(32)}` };
    foreign.push((await bob.post('/api/connections', draft)).body.id);
    const { id: bobId } = (await bob.get('/api/user')).body;
    const offer = { name: 'Bob’s secret offer', baseUrl: provider.url, audience: 'chosen', people: [bobId] };
    foreign.push((await newOffer(app, offer)).id);
    attempts = await attemptsOf(ada);
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  /** Every call that takes a model. */
  async function attemptsOf(visitor: HttpClient): Promise<Record<string, Attempt>> {
    const { post, patch, put } = visitor;
    const { token } = await newToken(visitor);
    const assistantId = await createAssistant(visitor);
    const threadId = await newThread(visitor, { title: 'Named' });
    const set = await newSet(visitor, assistantId, typed('One'));
    const comparison = await newComparison(visitor, ['One']);
    const settings = { name: 'Careful', instructions: '' };
    const api =
      (path: string, more: object = {}): Attempt =>
      (model) =>
        callApi(app, token, `/v1/${path}`, { method: 'POST', body: { model, ...more } });
    const messages = [{ role: 'user', content: 'Hello' }];
    let sent = 0;
    const client = () => `foreign-${String(++sent).padStart(8, '0')}`;
    return {
      thread: (model) => post('/api/threads', { model }),
      threadModel: (model) => patch(`/api/threads/${threadId}`, { model }),
      beside: (model) =>
        post(`/api/threads/${threadId}/messages`, { message: 'A', clientId: client(), models: [model, 'gpt-4o'] }),
      queue: (model) => post(`/api/threads/${threadId}/queue`, { message: 'A', clientId: client(), models: [model] }),
      assistant: (model) => post('/api/assistants', { ...settings, model }),
      assistantModel: (model) => patch(`/api/assistants/${assistantId}`, { model }),
      fallback: (model) => patch(`/api/assistants/${assistantId}`, { fallbackModel: model }),
      move: (toModel) => post('/api/assistants/move', { fromModel: 'gpt-4o', toModel }),
      project: (model) => post('/api/projects', { name: 'P', instructions: '', model }),
      comparison: (model) =>
        post('/api/comparisons', { candidateModel: model, baselineModel: 'gpt-4o', prompts: { typed: ['A'] } }),
      judge: (model) => post(`/api/comparisons/${comparison.id}/judgings`, { model, criteria: 'A' }),
      testRun: (model) =>
        post(`/api/test-sets/${set.id}/runs`, { candidate: { kind: 'model', model }, baseline: { kind: 'nothing' } }),
      price: (model) =>
        post('/api/analytics/prices', { model: model.replace('gpt-4o', 'unpriced'), input: 1, output: 1 }),
      training: (baseModel) => post('/api/fine-tuning/jobs', { name: 'A', baseModel, trainingFileId: 1 }),
      choices: (model) => put('/api/model-choices', { favorites: [model] }),
      chat: api('chat/completions', { messages }),
      responses: api('responses', { input: 'Hello' }),
      background: api('responses', { input: 'Hello', background: true, store: true }),
      completions: api('completions', { prompt: 'Hello' }),
      embeddings: api('embeddings', { input: 'Hello' }),
      images: api('images/generations', { prompt: 'Hello' }),
      speech: api('audio/speech', { input: 'Hello', voice: 'v' }),
      moderations: api('moderations', { input: 'Hello' }),
    };
  }

  /** Without what differs between any two calls. */
  const comparable = ({ status, body }: Answer, id: number) =>
    JSON.stringify([status, body])
      .replaceAll(`@${id}/`, '@N/')
      .replaceAll(/"(?:id|requestId|\w+At|\w*[tT]okens?|message_?id|runId|position|x)":(?:"[^"]*"|\d+)/gi, '')
      .replaceAll(/\d+/g, '0');

  test('answer nobody, and are not told apart from those that do not exist', async () => {
    for (const [name, attempt] of Object.entries(attempts)) {
      const unknown = comparable(await attempt('@999999/gpt-4o'), 999_999);
      for (const id of foreign) {
        const answer = await attempt(`@${id}/gpt-4o`);
        expect([name, comparable(answer, id)]).toEqual([name, unknown]);
        expect(JSON.stringify(answer.body)).not.toMatch(/secret|127\.0\.0\.1|kkkk/);
      }
    }
    await until('The end of all answers', () =>
      withDatabase(app, async (db) => {
        const open = db.selectFrom('runs').select('id').where('state', 'in', ['queued', 'running']);
        return (await open.execute()).length === 0;
      }),
    );
    for (const path of ['/api/models', '/api/connections', '/api/model-choices', '/api/assistants?limit=100'])
      expect(JSON.stringify((await ada.get(path)).body)).not.toMatch(/secret/);
    expect(provider.asked).toEqual([]);
  });
});
