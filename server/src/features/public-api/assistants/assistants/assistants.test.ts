import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser, withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { conforming } from '#server/testing/openai-schema';

const beta = { 'openai-beta': 'assistants=v2' };
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather somewhere',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    strict: true,
  },
};

describe.each(engines)('API assistants on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let token: string;
  let client: OpenAI;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    ({ token } = await newToken(ada));
    client = clientOf(token);
  });
  afterAll(() => app.stop());

  const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const post = (path: string, body: unknown) => callApi(app, token, path, { method: 'POST', body, headers: beta });
  const onPages = async (visitor: HttpClient) => (await visitor.get('/api/assistants')).body;

  test('creates, reads, changes and deletes assistants, which the pages have too', async () => {
    const made = conforming(
      'AssistantObject',
      await client.beta.assistants.create({
        model: 'gpt-4o',
        name: 'Forecaster',
        description: 'Of the weather',
        instructions: 'Be brief.',
        tools: [
          weather,
          { type: 'code_interpreter' },
          { type: 'file_search', file_search: { max_num_results: 7, ranking_options: { score_threshold: 0.5 } } },
        ],
        metadata: { team: 'blue' },
        temperature: 1.35,
        top_p: 0.9,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'forecast', schema: { type: 'object' }, strict: true },
        },
        reasoning_effort: 'low',
      }),
    );
    expect(made).toEqual({
      id: expect.stringMatching(/^asst_\w{24}$/),
      object: 'assistant',
      created_at: expect.any(Number),
      name: 'Forecaster',
      description: 'Of the weather',
      model: 'gpt-4o',
      instructions: 'Be brief.',
      tools: [
        weather,
        { type: 'code_interpreter' },
        { type: 'file_search', file_search: { max_num_results: 7, ranking_options: { score_threshold: 0.5 } } },
      ],
      tool_resources: {},
      metadata: { team: 'blue' },
      temperature: 1.35,
      top_p: 0.9,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'forecast', schema: { type: 'object' }, strict: true },
      },
      reasoning_effort: 'low',
    });
    expect(await client.beta.assistants.retrieve(made.id)).toEqual(made);
    const [shown] = await onPages(ada);
    expect(shown).toMatchObject({ name: 'Forecaster', instructions: 'Be brief.', isDefault: true });
    const changed = await client.beta.assistants.update(made.id, { name: 'Seer', tools: [weather] });
    expect(conforming('AssistantObject', changed)).toEqual({ ...made, name: 'Seer', tools: [weather] });
    expect(await client.beta.assistants.update(made.id, {})).toEqual(changed);
    // Renaming it on a page keeps what clients have set.
    await ada.patch(`/api/assistants/${shown.id}`, { name: 'Oracle' });
    expect(await client.beta.assistants.retrieve(made.id)).toEqual({ ...changed, name: 'Oracle' });
    expect(conforming('DeleteAssistantResponse', await client.beta.assistants.delete(made.id))).toEqual({
      id: made.id,
      object: 'assistant.deleted',
      deleted: true,
    });
    const message = `No assistant found with id '${made.id}'.`;
    await expect(client.beta.assistants.retrieve(made.id)).rejects.toThrow(message);
    await expect(client.beta.assistants.update(made.id, {})).rejects.toThrow(message);
    await expect(client.beta.assistants.delete(made.id)).rejects.toThrow(message);
    expect(await onPages(ada)).toEqual([]);
  });

  test('starts with the provider’s defaults, and returns to them', async () => {
    const bare = await client.beta.assistants.create({ model: 'gpt-4o' });
    expect(bare).toMatchObject({
      ...{ name: null, description: null, instructions: null, tools: [], tool_resources: {}, metadata: {} },
      ...{ temperature: 1, top_p: 1, response_format: 'auto', reasoning_effort: null },
    });
    const [{ id, name }] = await onPages(ada);
    expect(name).toBe('Untitled assistant');
    const full = await client.beta.assistants.update(bare.id, {
      ...{ name: 'Named', description: 'x', instructions: 'x', tools: [weather], metadata: { a: 'b' } },
      ...{ temperature: 0, top_p: 0, response_format: { type: 'json_object' }, reasoning_effort: 'high' },
    });
    expect(full).toMatchObject({ name: 'Named', temperature: 0, top_p: 0, response_format: { type: 'json_object' } });
    const nothing = { name: null, description: null, instructions: null, temperature: null, top_p: null };
    const { body } = await post(`/v1/assistants/${bare.id}`, {
      ...nothing,
      ...{ tools: null, metadata: null, response_format: null, reasoning_effort: null, tool_resources: null },
    });
    expect(body).toEqual(bare);
    // A name given on the pages replaces the client's.
    await ada.patch(`/api/assistants/${id}`, { name: 'By a person' });
    expect((await client.beta.assistants.retrieve(bare.id)).name).toBe('By a person');
    await client.beta.assistants.delete(bare.id);
  });

  test('serves assistants made on the pages, and keeps the id of an imported one', async () => {
    const bea = await app.withKey('bea');
    const beas = clientOf((await newToken(bea, { rights: ['chat'] })).token);
    const oldId = `asst_abc123ABC456def789GHI${engine.length}`;
    const imported = {
      id: oldId,
      object: 'assistant',
      name: 'From before',
      model: 'gpt-4o',
      instructions: 'x'.repeat(2_000),
    };
    expect((await bea.post('/api/assistants/import-file', imported)).body.imported).toHaveLength(1);
    await createAssistant(bea, { name: 'Typed', temperature: 0.3 });
    const list = (await beas.beta.assistants.list()).data;
    expect(list.map(({ id, name }) => [id, name])).toEqual([
      [expect.stringMatching(/^asst_\w{24}$/), 'Typed'],
      [oldId, 'From before'],
    ]);
    for (const one of list) conforming('AssistantObject', one);
    expect(await beas.beta.assistants.retrieve(oldId)).toMatchObject({ id: oldId, instructions: 'x'.repeat(2_000) });
    // The chat permission only allows reading.
    await expect(beas.beta.assistants.delete(oldId)).rejects.toMatchObject({ status: 403 });
    const all = clientOf((await newToken(bea, { rights: ['assistants'] })).token);
    expect((await all.beta.assistants.update(oldId, { name: 'Now' })).name).toBe('Now');
  });

  test('shows the search of its files as a tool', async () => {
    const id = await createAssistant(ada, { name: 'Reader' });
    const { id: fileId } = await uploaded(app, ada, { filename: 'facts.txt', content: 'facts' });
    expect((await ada.post(`/api/assistants/${id}/files`, { fileIds: [fileId] })).status).toBe(200);
    const [reader] = (await client.beta.assistants.list({ limit: 1 })).data;
    expect(reader?.tools).toEqual([{ type: 'file_search' }]);
    await ada.delete(`/api/assistants/${id}`);
  });

  test('lists from either end, in either order, by the ids at the ends of a page', async () => {
    const cleo = await app.withKey('cleo');
    const cleos = clientOf((await newToken(cleo)).token);
    for (const name of ['1', '2', '3', '4', '5']) await cleos.beta.assistants.create({ model: 'gpt-4o', name });
    const ids = (await cleos.beta.assistants.list({ order: 'asc' })).data.map(({ id }) => id);
    const names = async (query: OpenAI.Beta.AssistantListParams) =>
      (await cleos.beta.assistants.list(query)).data.map(({ name }) => name).join('');
    const [second = '', fourth = ''] = [ids[1], ids[3]];
    expect(await names({})).toBe('54321');
    expect(await names({ order: 'asc', limit: 2 })).toBe('12');
    expect(await names({ order: 'asc', after: second })).toBe('345');
    expect(await names({ order: 'desc', after: fourth })).toBe('321');
    expect(await names({ order: 'asc', before: fourth })).toBe('123');
    expect(await names({ order: 'desc', before: second })).toBe('543');
    expect(await names({ order: 'asc', after: second, before: fourth })).toBe('3');
    const walked = [];
    for await (const { id } of cleos.beta.assistants.list({ limit: 2 })) walked.push(id);
    expect(walked).toEqual(ids.toReversed());
    const { token: cleosToken } = await newToken(cleo);
    const page = await callApi(app, cleosToken, '/v1/assistants?limit=2', { headers: beta });
    conforming('ListAssistantsResponse', page.body);
    expect(page.body).toMatchObject({ first_id: ids[4], last_id: ids[3], has_more: true });
    await expect(cleos.beta.assistants.list({ after: 'asst_abc' })).rejects.toMatchObject({ status: 404 });
    // An id of another user is no cursor.
    await expect(client.beta.assistants.list({ after: second })).rejects.toMatchObject({ status: 404 });
  });

  test('accepts values up to their limits, and the form keeps what it was not asked to change', async () => {
    const tools = Array.from({ length: 128 }, (_, index) => ({
      ...weather,
      function: { ...weather.function, name: `f${index}`.padEnd(64, '_') },
    }));
    const made = await client.beta.assistants.create({
      model: 'gpt-4o',
      name: 'n'.repeat(256),
      description: 'd'.repeat(512),
      instructions: 'ä'.repeat(256_000),
      tools,
      temperature: 2,
      top_p: 1,
      metadata: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, 'v'.repeat(512)])),
    });
    const [{ id }] = await onPages(ada);
    expect((await ada.patch(`/api/assistants/${id}`, { reasoningEffort: 'low' })).status).toBe(200);
    expect(
      (await ada.patch(`/api/assistants/${id}`, { instructions: 'ä'.repeat(256_000), model: 'gpt-4o' })).status,
    ).toBe(200);
    expect(await client.beta.assistants.retrieve(made.id)).toEqual({ ...made, reasoning_effort: 'low' });
    await client.beta.assistants.delete(made.id);
  });

  const named = (name: string) => ({ ...weather, function: { ...weather.function, name } });
  const full = (more: Record<string, unknown>) => ({ model: 'gpt-4o', ...more });
  test.each<[string, unknown, string]>([
    ['no model', {}, 'model'],
    ['a blank model', { model: ' ' }, 'model'],
    ['a model that the key cannot use', { model: 'gpt-none' }, 'model'],
    ['a name that is too long', full({ name: 'n'.repeat(257) }), 'name'],
    ['a description that is too long', full({ description: 'd'.repeat(513) }), 'description'],
    ['instructions that are too long', full({ instructions: 'i'.repeat(256_001) }), 'instructions'],
    ['too many tools', full({ tools: Array(129).fill({ type: 'code_interpreter' }) }), 'tools'],
    ['a tool that is none', full({ tools: [{ type: 'retrieval' }] }), 'tools.0.type'],
    ['a function without a name', full({ tools: [{ type: 'function', function: {} }] }), 'tools.0.function.name'],
    ['a function’s name that is too long', full({ tools: [named('n'.repeat(65))] }), 'tools.0.function.name'],
    ['a function’s name with a blank', full({ tools: [named('a b')] }), 'tools.0.function.name'],
    [
      'too many results',
      full({ tools: [{ type: 'file_search', file_search: { max_num_results: 51 } }] }),
      'tools.0.file_search.max_num_results',
    ],
    ['a temperature below 0', full({ temperature: -0.1 }), 'temperature'],
    ['a temperature above 2', full({ temperature: 2.1 }), 'temperature'],
    ['top_p above 1', full({ top_p: 1.1 }), 'top_p'],
    ['an effort that is none', full({ reasoning_effort: 'huge' }), 'reasoning_effort'],
    ['a format that is none', full({ response_format: 'json' }), 'response_format'],
    ['metadata that is no text', full({ metadata: { a: 1 } }), 'metadata.a'],
    ['a field of version 1', full({ file_ids: [] }), 'file_ids'],
  ])('refuses one with %s, and stores nothing', async (_, body, param) => {
    const before = (await onPages(ada)).length;
    const { status, body: answer } = await post('/v1/assistants', body);
    expect([status, answer.error.type, answer.error.param]).toEqual([400, 'invalid_request_error', param]);
    expect((await onPages(ada)).length).toBe(before);
  });

  test('leaves no new vector store behind after a refusal', async () => {
    const stores = async () => (await client.vectorStores.list()).data.length;
    const before = await stores();
    const tool_resources = { file_search: { vector_stores: [{ metadata: { of: 'nothing' } }] } };
    const refused = await post('/v1/assistants', { model: 'gpt-none', tool_resources });
    expect([refused.status, refused.body.error.param, await stores()]).toEqual([400, 'model', before]);
    const made = await client.beta.assistants.create({ model: 'gpt-4o', tool_resources });
    const [storeId = ''] = made.tool_resources?.file_search?.vector_store_ids ?? [];
    expect(await client.vectorStores.retrieve(storeId)).toMatchObject({ metadata: { of: 'nothing' } });
    await client.beta.assistants.delete(made.id);
  });

  test('shares one code interpreter switch between page and clients', async () => {
    const code = { type: 'code_interpreter' as const };
    const made = await client.beta.assistants.create({ model: 'gpt-4o', name: 'Computes', tools: [weather, code] });
    const [{ id, tools }] = await onPages(ada);
    expect(tools).toEqual({ codeInterpreter: {} });
    const ofForm = { webSearch: { domains: ['example.org'], location: { country: 'NL' } } };
    expect((await ada.patch(`/api/assistants/${id}`, { tools: ofForm })).body.tools).toEqual(ofForm);
    expect((await client.beta.assistants.retrieve(made.id)).tools).toEqual([weather]);
    await client.beta.assistants.update(made.id, { tools: [code] });
    expect((await onPages(ada))[0].tools).toEqual({ ...ofForm, codeInterpreter: {} });
    await client.beta.assistants.update(made.id, { tools: [] });
    expect((await onPages(ada))[0].tools).toEqual(ofForm);
    await client.beta.assistants.delete(made.id);
  });

  test('requires the header of the Assistants API', async () => {
    const { status, body } = await callApi(app, token, '/v1/assistants');
    expect([status, body.error.code]).toEqual([400, 'invalid_beta']);
  });

  test('hides assistants of other users', async () => {
    const dan = await app.withKey('dan');
    const dans = clientOf((await newToken(dan)).token);
    const { id } = await client.beta.assistants.create({ model: 'gpt-4o', name: 'Of Ada' });
    for (const attempt of [
      () => dans.beta.assistants.retrieve(id),
      () => dans.beta.assistants.update(id, { name: 'Taken' }),
      () => dans.beta.assistants.delete(id),
    ])
      await expect(attempt()).rejects.toThrow(`No assistant found with id '${id}'.`);
    expect((await dans.beta.assistants.list()).data).toEqual([]);
    // Only ids are accepted here.
    await expect(client.beta.assistants.retrieve('Of Ada@roster')).rejects.toMatchObject({ status: 404 });
    expect((await client.beta.assistants.retrieve(id)).name).toBe('Of Ada');
  });

  test('rejects changes with a Viewer’s token, and deletes assistants with the account', async () => {
    const eve = await app.withKey('eve');
    const eves = clientOf((await newToken(eve)).token);
    const { id } = await eves.beta.assistants.create({ model: 'gpt-4o', name: 'Eve’s', metadata: { of: 'eve' } });
    const { body: me } = await eve.get('/api/user');
    await setUser(app, me.email, { role: 'Viewer' });
    expect((await eves.beta.assistants.retrieve(id)).name).toBe('Eve’s');
    await expect(eves.beta.assistants.create({ model: 'gpt-4o' })).rejects.toMatchObject({ status: 403 });
    await expect(eves.beta.assistants.update(id, {})).rejects.toMatchObject({ status: 403 });
    expect((await eve.delete('/api/user', { password: 'correct horse battery' })).status).toBe(204);
    const kept = await withDatabase(app, (db) =>
      db.selectFrom('assistant_api_fields').selectAll().where('user_id', '=', me.id).execute(),
    );
    expect(kept).toEqual([]);
  });
});
