import { parseModelReference } from '@roster/contracts/models/model-reference';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread, until } from '#server/testing/chat';
import { askPrompt, newComparison } from '#server/testing/comparisons';
import { newOffer } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';
import { trainingFile } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';
import { imported } from '#server/testing/imports';
import { startPricedProvider } from '#server/testing/offers';
import { newSet, typed } from '#server/testing/test-sets';

type Answer = { status: number; body: unknown };
type Attempt = (model: string) => Promise<Answer>;

describe.each(engines)('connections of others on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let provider: Awaited<ReturnType<typeof startPricedProvider>>;
  const foreign: number[] = [];
  let foreignNames: string[] = [];
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
    const removed = (await bob.post('/api/connections', { ...draft, name: 'Bob’s removed secret' })).body.id;
    expect((await bob.delete(`/api/connections/${removed}`)).status).toBe(204);
    foreign.push(removed);
    foreignNames = [draft.name, offer.name];
    attempts = await attemptsOf(ada);
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  /** Every call that takes a model. */
  async function attemptsOf(visitor: HttpClient): Promise<Record<string, Attempt>> {
    const { get, post, patch, put } = visitor;
    let sent = 0;
    const settings = { name: 'Careful', instructions: '' };
    const { token } = await newToken(visitor);
    const assistantId = await createAssistant(visitor);
    const threadId = await newThread(visitor, { title: 'Named' });
    const { answer } = await ask(app, visitor, await newThread(visitor, { assistantId, title: 'Asked' }), 'One');
    const { id: projectId } = (await post('/api/projects', { name: 'Own', instructions: '' })).body;
    const trial = (model: string) => ({ settings: { ...settings, model } });
    const { id: trialId } = (await post('/api/assistants/trials', { assistantId: null, ...trial('gpt-4o') })).body;
    const { body: preferences } = await get('/api/settings/preferences');
    const set = await newSet(visitor, assistantId, typed('One'));
    const comparison = await newComparison(visitor, ['One']);
    const api =
      (path: string, more: object = {}): Attempt =>
      (model) =>
        callApi(app, token, `/v1/${path}`, { method: 'POST', body: { model, ...more } });
    const messages = [{ role: 'user', content: 'Hello' }];
    /** A conversation of Roster's own export, whose import continues with the model it names. */
    const exported = (await get(`/api/threads/${answer.threadId}/export?format=json`)).body;
    const importedThread: Attempt = async (model) => {
      const file = { ...exported, thread: { ...exported.thread, id: ++sent, model, assistantId: null } };
      const { state } = await imported(app, visitor, JSON.stringify(file));
      const { items } = (await get('/api/threads?limit=3')).body;
      expect(JSON.stringify(items)).not.toContain(model);
      return { status: 200, body: state };
    };
    const { id: trainingFileId } = await trainingFile(app, visitor);
    const beta = { 'openai-beta': 'assistants=v2' };
    const { body: listed } = await callApi(app, token, '/v1/assistants', { headers: beta });
    const apiAssistantId: string = listed.data[0].id;
    const client = () => `foreign-${String(++sent).padStart(8, '0')}`;
    return {
      thread: (model) => post('/api/threads', { model }),
      threadBeside: (model) => post('/api/threads', parseModelReference(model)),
      threadModelBeside: (model) => patch(`/api/threads/${threadId}`, parseModelReference(model)),
      assistantBeside: (model) => post('/api/assistants', { ...settings, ...parseModelReference(model) }),
      assistantModelBeside: (model) => patch(`/api/assistants/${assistantId}`, parseModelReference(model)),
      fallbackBeside: (model) => patch(`/api/assistants/${assistantId}`, { fallback: parseModelReference(model) }),
      threadModel: (model) => patch(`/api/threads/${threadId}`, { model }),
      beside: (model) =>
        post(`/api/threads/${threadId}/messages`, { message: 'A', clientId: client(), models: [model, 'gpt-4o'] }),
      queue: (model) => post(`/api/threads/${threadId}/queue`, { message: 'A', clientId: client(), models: [model] }),
      assistant: (model) => post('/api/assistants', { ...settings, model }),
      assistantModel: (model) => patch(`/api/assistants/${assistantId}`, { model }),
      fallback: (model) => patch(`/api/assistants/${assistantId}`, { fallbackModel: model }),
      move: (toModel) => post('/api/assistants/move', { fromModel: 'gpt-4o', toModel }),
      movePlan: (model) => get(`/api/assistants/move?${new URLSearchParams({ fromModel: 'gpt-4o', toModel: model })}`),
      moveFrom: (fromModel) => post('/api/assistants/move', { fromModel, toModel: 'gpt-4o' }),
      trial: (model) => post('/api/assistants/trials', { assistantId: null, ...trial(model) }),
      trialOf: (model) => post('/api/assistants/trials', { assistantId, ...trial(model) }),
      trialChange: (model) => patch(`/api/assistants/trials/${trialId}`, trial(model)),
      trialMessage: async (model) => {
        const { id } = (await post('/api/assistants/trials', { assistantId: null, ...trial('gpt-4o') })).body;
        const { status } = await patch(`/api/assistants/trials/${id}`, trial(model));
        return { status, body: (await ask(app, visitor, id, 'A')).answer };
      },
      trialFallback: (fallbackModel) =>
        patch(`/api/assistants/trials/${trialId}`, { settings: { ...trial('gpt-4o').settings, fallbackModel } }),
      importFile: (model) => post('/api/assistants/import-file', { ...settings, name: client(), model }),
      importFallback: (model) =>
        post('/api/assistants/import-file', { ...settings, name: client(), model: 'gpt-4o', fallbackModel: model }),
      importThread: importedThread,
      regenerate: (model) => post(`/api/messages/${answer.id}/regenerate`, { model }),
      titles: async (titleModel) => {
        const saved = await post('/api/settings/preferences', { ...preferences, titleModel });
        // Its title is asked for after the answer.
        await ask(app, visitor, await newThread(visitor), 'One');
        return saved;
      },
      threads: (model) => get(`/api/threads?${new URLSearchParams({ model })}`),
      tools: (model) => get(`/api/models/tools?${new URLSearchParams({ model })}`),
      project: (model) => post('/api/projects', { name: 'P', instructions: '', model }),
      projectModel: (model) => patch(`/api/projects/${projectId}`, { model }),
      questions: (model) => get(`/api/assistants/${assistantId}/questions?${new URLSearchParams({ model })}`),
      replay: (toModel) =>
        post(`/api/assistants/${assistantId}/replays`, { fromModel: 'gpt-4o', toModel, answerIds: [answer.id] }),
      replayFrom: (fromModel) =>
        post(`/api/assistants/${assistantId}/replays`, {
          ...{ fromModel, toModel: 'gpt-4o', answerIds: [answer.id], baseline: 'asked' },
        }),
      baseline: (model) =>
        post('/api/comparisons', { candidateModel: 'gpt-4o', baselineModel: model, prompts: { typed: ['A'] } }),
      comparison: (model) =>
        post('/api/comparisons', { candidateModel: model, baselineModel: 'gpt-4o', prompts: { typed: ['A'] } }),
      compared: async (model) => {
        const { id, items } = await newComparison(visitor, ['One'], { candidateModel: model });
        return askPrompt(visitor, id, items[0]?.id ?? 0);
      },
      judge: (model) => post(`/api/comparisons/${comparison.id}/judgings`, { model, criteria: 'A' }),
      testRun: (model) =>
        post(`/api/test-sets/${set.id}/runs`, { candidate: { kind: 'model', model }, baseline: { kind: 'nothing' } }),
      testDraft: (model) =>
        post(`/api/test-sets/${set.id}/runs`, {
          candidate: { kind: 'draft', changes: { model } },
          baseline: { kind: 'nothing' },
        }),
      testFallback: (fallbackModel) =>
        post(`/api/test-sets/${set.id}/runs`, {
          candidate: { kind: 'draft', changes: { fallbackModel } },
          baseline: { kind: 'nothing' },
        }),
      testJudge: (model) =>
        post(`/api/test-sets/${set.id}/runs`, {
          candidate: { kind: 'version', version: 1 },
          baseline: { kind: 'nothing' },
          judge: { model, criteria: 'A' },
        }),
      price: (model) =>
        post('/api/analytics/prices', { model: model.replace('gpt-4o', 'unpriced'), input: 1, output: 1 }),
      estimate: (baseModel) => post('/api/fine-tuning/validate', { trainingFileId, baseModel }),
      training: (baseModel) => post('/api/fine-tuning/jobs', { name: 'A', baseModel, trainingFileId }),
      choices: (model) => put('/api/model-choices', { favorites: [model] }),
      recent: (model) => put('/api/model-choices', { favorites: [], recent: [model] }),
      hidden: (model) => put('/api/model-choices', { recent: [], hidden: [model] }),
      apiAssistant: (model) =>
        callApi(app, token, '/v1/assistants', { method: 'POST', headers: beta, body: { model } }),
      apiRun: async (model) => {
        const body = { assistant_id: apiAssistantId, model, thread: { messages } };
        const created = await callApi(app, token, '/v1/threads/runs', { method: 'POST', headers: beta, body });
        if (created.status !== 200) return created;
        const { id, thread_id: apiThreadId } = created.body;
        return until('The end of the run', async () => {
          const run = await callApi(app, token, `/v1/threads/${apiThreadId}/runs/${id}`, { headers: beta });
          return !['queued', 'in_progress'].includes(run.body.status) && run;
        });
      },
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
    `${status} ${JSON.stringify(body)
      ?.replaceAll(`@${id}/`, '@N/')
      .replaceAll(/"(?:id|requestId|\w+At|\w*[tT]okens?|message_?id|runId|position|x)":(?:"[^"]*"|\d+)/gi, '')
      .replaceAll(/thread_\w+/g, 'thread')
      .replaceAll(/\d+/g, '0')}`;

  test('answer nobody, and are not told apart from those that do not exist', async () => {
    for (const [name, attempt] of Object.entries(attempts)) {
      const unknown = comparable(await attempt('@999999/gpt-4o'), 999_999);
      for (const id of foreign) {
        const answer = await attempt(`@${id}/gpt-4o`);
        expect([name, comparable(answer, id)]).toEqual([name, unknown]);
        expect(JSON.stringify(answer.body) ?? '').not.toMatch(/secret|127\.0\.0\.1|kkkk/);
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

  test('are no part of a name for programs', async () => {
    const { chat, responses, background, embeddings, apiAssistant, apiRun } = attempts;
    for (const attempt of [chat, responses, background, embeddings, apiAssistant, apiRun]) {
      if (!attempt) throw new Error('A call is missing');
      const nameless = async (name: string) => comparable(await attempt(`${name}/gpt-4o`), 0).replaceAll(name, 'N');
      const unknown = await nameless('Nobody');
      for (const name of foreignNames) expect(await nameless(name)).toBe(unknown);
    }
    expect(provider.asked).toEqual([]);
  });
});
