import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { beforeAnyEnd, engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, defaultsOf, idsOf } from '#server/testing/assistants';
import { withFault } from '#server/testing/faults';

const fetchPath = '/api/assistants/fetch-from-openai';
const importPath = '/api/assistants/import-batch-from-openai';
const tutor = 'asst_8fKq2ZrVn1LxWcTy5uHbGdEo';
const contracts = 'asst_3mTjP0sXqLw9RbVc7yNzKiUa';
const handbook = 'asst_Zc5vBn8mQw2eRt4yUi6oPaSd';
const nameless = 'asst_Hj1kLq3wEr5tYu7iOp9aSdFg';
const agent = 'agent_5d1c0f7a92b34e68';

type Candidate = { id: string; notes: string[] };

describe.each(engines)('importing from the provider on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { now: beforeAnyEnd });
  });
  afterAll(() => app.stop());

  const candidate = (body: Candidate[], id: string) => body.find((one) => one.id === id);

  test('lists what can be imported with a typed key, which is not stored', async () => {
    const ada = await app.as('ada');
    const { status, body } = await ada.post(fetchPath, { apiKey: goodKey });
    expect(status).toBe(200);
    expect(candidate(body, tutor)).toEqual({
      id: tutor,
      name: 'Math Tutor',
      model: 'gpt-4o',
      description: 'Explains step by step and asks back.',
      source: 'assistants',
      notes: [],
      importedAs: null,
    });
    expect((await ada.get('/api/user/config')).body.hasApiKey).toBe(false);
    expect((await ada.post(fetchPath, {})).body).toMatchObject({ code: 'no_api_key' });
    expect(app.logLines.join('')).not.toContain(goodKey);
  });

  test('says what cannot be imported', async () => {
    const { body } = await (await app.withKey('bob')).post(fetchPath, {});
    expect(candidate(body, contracts)?.notes).toEqual([
      'Its vector store cannot be imported: vs_68b1f0c2d4e6485fa1. Give it the files again.',
      'Its file for code cannot be imported: file-Qp7Ls2Vn9Xc4Rt1Wb6Ym. Give it the files again.',
      expect.stringContaining('The model gpt-4-turbo'),
    ]);
    expect(candidate(body, handbook)?.notes).toEqual([
      "The instructions have 20000 characters, more than the form's 1500; they are kept whole.",
    ]);
    expect(candidate(body, nameless)).toMatchObject({ name: 'Untitled assistant', description: '' });
    expect(candidate(body, nameless)?.notes).toEqual([
      "It has no name and is called 'Untitled assistant'.",
      expect.stringContaining('is not among those your API key can use'),
    ]);
    expect(candidate(body, agent)).toMatchObject({ source: 'agents', name: 'Release Notes Writer', description: '' });
    expect(candidate(body, agent)?.notes).not.toContain('The tool web_search cannot be imported.');
  });

  test('imports the chosen ones as the provider has them now', async () => {
    const carol = await app.withKey('carol');
    const { status, body } = await carol.post(importPath, { assistantIds: [tutor, handbook, agent] });
    expect(status).toBe(200);
    expect(body.failed).toEqual([]);
    expect(body.imported.map((one: { openaiAssistantId: string }) => one.openaiAssistantId)).toEqual([
      tutor,
      handbook,
      agent,
    ]);
    expect(body.imported[0]).toMatchObject({ name: 'Math Tutor', model: 'gpt-4o', temperature: 0.3, isDefault: true });
    expect(body.imported[1].instructions).toHaveLength(20_000);
    expect(body.imported[2]).toMatchObject({
      description: '',
      reasoningEffort: 'medium',
      tools: { webSearch: {} },
      isDefault: false,
    });
    // The time at which the provider created each.
    const times = [1_715_000_000, 1_738_900_000, 1_789_100_000];
    expect(body.imported.map((one: { createdAt: string }) => one.createdAt)).toEqual(
      times.map((seconds) => new Date(seconds * 1_000).toISOString()),
    );
    const { token } = await newToken(carol);
    const headers = { 'openai-beta': 'assistants=v2' };
    const { body: byClient } = await callApi(app, token, '/v1/assistants', { headers });
    expect(byClient.data.map((one: { created_at: number }) => one.created_at).toSorted()).toEqual(times);
    const { body: list } = await carol.get('/api/assistants');
    expect(list.map((one: { name: string }) => one.name)).toEqual([
      'Math Tutor',
      'Service Desk Handbook',
      'Release Notes Writer',
    ]);
    expect(await defaultsOf(carol)).toEqual([body.imported[0].id]);
  });

  test('does not duplicate earlier imports, and names them', async () => {
    const dave = await app.withKey('dave');
    const own = await createAssistant(dave);
    const { body: first } = await dave.post(importPath, { assistantIds: [tutor, tutor] });
    expect([first.imported.length, first.failed]).toEqual([1, []]);
    await dave.patch(`/api/assistants/${first.imported[0].id}`, { name: 'My tutor' });
    const { body: again } = await dave.post(importPath, { assistantIds: [tutor, contracts] });
    expect(again.imported).toHaveLength(1);
    expect(again.failed).toEqual([
      { id: tutor, name: 'Math Tutor', reason: "It was imported already, as 'My tutor'." },
    ]);
    const { body: candidates } = await dave.post(fetchPath, {});
    expect(candidate(candidates, tutor)).toMatchObject({
      importedAs: { id: first.imported[0].id, name: 'My tutor' },
    });
    expect(await defaultsOf(dave)).toEqual([own]);
    await dave.delete(`/api/assistants/${first.imported[0].id}`);
    expect((await dave.post(importPath, { assistantIds: [tutor] })).body.imported).toHaveLength(1);
  });

  test('creates one of each for concurrent imports', async () => {
    const erin = await app.withKey('erin');
    const ids = [tutor, contracts, handbook];
    const answers = await Promise.all([1, 2, 3, 4].map(() => erin.post(importPath, { assistantIds: ids })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.flatMap(({ body }) => body.imported)).toHaveLength(3);
    expect(answers.flatMap(({ body }) => body.failed)).toHaveLength(9);
    expect(await idsOf(erin)).toHaveLength(3);
    expect(await defaultsOf(erin)).toHaveLength(1);
  });

  test('names chosen ones that the provider does not list', async () => {
    const frank = await app.withKey('frank');
    const { body } = await frank.post(importPath, { assistantIds: ['asst_unknown', tutor] });
    expect(body.imported).toHaveLength(1);
    expect(body.failed).toEqual([{ id: 'asst_unknown', name: null, reason: 'This API key cannot use it.' }]);
  });

  test.each([
    [[], 'Please select at least one assistant to import'],
    [Array.from({ length: 101 }, (_, number) => `asst_${number}`), 'At most 100 assistants can be imported at once'],
    [['two words'], 'This is not an assistant id of the provider'],
  ])('rejects a wrong choice', async (assistantIds, message) => {
    const { status, body } = await (await app.withKey('bob')).post(importPath, { assistantIds });
    expect([status, body.message]).toEqual([400, message]);
  });

  test('distinguishes a rejected key, a failing provider and one that serves no list', async () => {
    const visitor = await app.as('gina');
    const typed = { apiKey: `sk-invalid-${'x'.repeat(30)}` };
    for (const [path, body] of [
      [fetchPath, typed],
      [importPath, { ...typed, assistantIds: [tutor] }],
    ] as const) {
      const rejected = await visitor.post(path, body);
      expect([rejected.status, rejected.body.code]).toEqual([422, 'key_rejected']);
      expect(rejected.body.message).toMatch(/^The provider rejected the API key\. Incorrect API key/);
      expect(rejected.body.message).not.toContain('xxxx');
    }
    const ask = () => visitor.post(fetchPath, { apiKey: goodKey });
    const listed = { path: '/assistants' };
    expect((await withFault(app, { fail: 'missing_scopes' }, listed, ask)).status).toBe(200);
    const inTrouble = await withFault(app, { fail: 'missing_scopes' }, {}, ask);
    expect([inTrouble.status, inTrouble.body.code]).toEqual([502, 'provider_failed']);
    const without = { status: 404, error: { message: 'Invalid URL (GET /v1/assistants)', code: null } };
    expect((await withFault(app, without, listed, ask)).status).toBe(200);
    const notServed = await withFault(app, without, {}, ask);
    expect([notServed.status, notServed.body.code]).toEqual([502, 'not_served']);
    expect(notServed.body.message).toContain('a JSON file of your assistants can be imported instead');
  });

  test('notes that the saved key was rejected', async () => {
    const henry = await app.withKey('henry');
    const answer = await withFault(app, { fail: 'invalid_api_key' }, {}, () => henry.post(fetchPath, {}));
    expect(answer.status).toBe(422);
    expect((await henry.get('/api/user/config')).body).toMatchObject({
      hasApiKey: true,
      apiKeyVerified: false,
      apiKeyNotice: expect.stringContaining('rejected'),
    });
  });
});
