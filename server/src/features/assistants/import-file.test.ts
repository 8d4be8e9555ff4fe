import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { beforeAnyEnd, engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, defaultsOf, draft, idsOf } from '#server/testing/assistants';
import { atProvider } from '#server/testing/files';
import { storesOf } from '#server/testing/knowledge';
import { until } from '#server/testing/until';
import { whileIndexing } from '#server/testing/vector-stores';

const path = '/api/assistants/import-file';

/** An assistant as the retired API returned it. */
const retired = (more: Record<string, unknown> = {}) => ({
  id: 'asst_FromTheOldDays',
  object: 'assistant',
  created_at: 1_715_000_000,
  name: 'Old Hand',
  description: null,
  model: 'gpt-4o',
  instructions: null,
  tools: [],
  tool_resources: {},
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: 'auto',
  ...more,
});

describe.each(engines)('importing a file on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine, { now: beforeAnyEnd });
  });
  afterAll(() => app.stop());

  const someone = () => app.as(`person${++people}`);

  test.each([
    ['one assistant', draft()],
    ['a list', [draft()]],
    ['an object with a list', { assistants: [draft()] }],
    ['an assistant of the retired API', retired()],
    ['a page of the retired API', { object: 'list', data: [retired()], has_more: false }],
  ])('accepts %s', async (_form, document) => {
    const visitor = await someone();
    const { status, body } = await visitor.post(path, document);
    expect([status, body.imported.length, body.failed]).toEqual([200, 1, []]);
    expect(await defaultsOf(visitor)).toEqual([body.imported[0].id]);
  });

  test('restores an export on another account, complete and in order', async () => {
    const from = await someone();
    await createAssistant(from, { name: 'First', description: 'd', temperature: 0.1, instructions: 'i' });
    await createAssistant(from, { name: 'Second', reasoningEffort: 'high' });
    await from.post(path, retired({ instructions: 'x'.repeat(5000) }));
    const { body: exported } = await from.get('/api/assistants/export');
    const to = await someone();
    const { body } = await to.post(path, exported);
    expect(body.failed).toEqual([]);
    const { body: again } = await to.get('/api/assistants/export');
    expect(again.assistants).toEqual(exported.assistants);
  });

  test('does not duplicate what is there already', async () => {
    const visitor = await someone();
    await createAssistant(visitor, { name: 'Mine', instructions: 'Same' });
    await visitor.post(path, retired());
    const { body: exported } = await visitor.get('/api/assistants/export');
    const { body } = await visitor.post(path, exported);
    expect(body.imported).toEqual([]);
    expect(body.failed).toEqual([
      { id: 'asst_FromTheOldDays', name: 'Old Hand', reason: "It was imported already, as 'Old Hand'." },
      { id: '#2', name: 'Mine', reason: "It is already there: 'Mine' is the same in every field." },
    ]);
    const changed = { ...exported.assistants[1], instructions: 'Other' };
    expect((await visitor.post(path, changed)).body.imported).toHaveLength(1);
    const twice = (await visitor.post(path, [retired({ id: 'asst_New' }), retired({ id: 'asst_New' })])).body;
    expect([twice.imported.length, twice.failed[0].reason]).toEqual([1, 'The file contains it more than once.']);
  });

  test('judges each entry by itself and says which field is wrong', async () => {
    const { body } = await (await someone()).post(path, [
      draft({ name: 'Good' }),
      'text',
      null,
      { name: 'No model' },
      draft({ name: 7 }),
      draft({ description: [] }),
      draft({ model: '   ' }),
      draft({ model: 'm'.repeat(201) }),
      draft({ temperature: 2.1 }),
      draft({ temperature: '0.5' }),
      draft({ instructions: {} }),
      draft({ instructions: 'x'.repeat(256_001) }),
      retired({ model: null }),
    ]);
    expect(body.imported.map(({ name }: { name: string }) => name)).toEqual(['Good']);
    expect(body.failed.map(({ id, reason }: { id: string; reason: string }) => `${id} ${reason}`)).toEqual([
      '#2 This entry is not an assistant.',
      '#3 This entry is not an assistant.',
      '#4 Model is missing.',
      '#5 Name must be text.',
      '#6 Description must be text.',
      '#7 Model is missing.',
      '#8 Model exceeds 200 characters.',
      '#9 Temperature must be from 0 to 2.',
      '#10 Temperature must be a number.',
      '#11 Instructions must be text.',
      '#12 Instructions exceed 256000 characters.',
      'asst_FromTheOldDays Model is missing.',
    ]);
    expect(body.failed[2]).toMatchObject({ name: 'No model' });
  });

  test('cuts what does not fit, and says so', async () => {
    const { body } = await (await someone()).post(
      path,
      retired({ name: '😀'.repeat(101), description: 'd'.repeat(512), temperature: 0.25 }),
    );
    expect(body.imported[0]).toMatchObject({
      name: '😀'.repeat(100),
      description: 'd'.repeat(500),
      temperature: 0.25,
      notes: ['The name was cut to 100 characters.', 'The description was cut to 500 characters.'],
    });
  });

  test('notes everything that a Roster assistant cannot have', async () => {
    const { body } = await (await someone()).post(
      path,
      retired({
        name: null,
        temperature: null,
        file_ids: ['file-a', 'file-b'],
        tools: [
          { type: 'retrieval' },
          { type: 'code_interpreter' },
          ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ type: 'function', function: { name: `${name}!` } })),
          'nonsense',
        ],
        tool_resources: { code_interpreter: { file_ids: ['file-a'] }, file_search: { vector_store_ids: ['vs_old'] } },
        response_format: { type: 'json_schema', json_schema: {} },
        top_p: 7,
        metadata: { a: 1 },
        reasoning_effort: 'enormous',
      }),
    );
    expect(body.imported[0]).toMatchObject({
      name: 'Untitled assistant',
      temperature: 1,
      reasoningEffort: null,
      notes: [
        "It has no name and is called 'Untitled assistant'.",
        'Roster does not know its reasoning effort; the model’s default is used.',
        'The tool retrieval cannot be imported.',
        'Functions cannot be imported: a!, b!, c!, d!, e! and others.',
        'top_p (7) cannot be imported.',
        'The response format json_schema cannot be imported.',
        'Metadata cannot be imported: a.',
        'Its 2 files cannot be imported.',
        'Its vector store cannot be imported: vs_old. Give it the files again.',
        'Its file for code cannot be imported: file-a. Give it the files again.',
      ],
    });
  });

  test('imports what API clients need to continue, under the id that they know', async () => {
    const { visitor, key } = await app.someone();
    const { token } = await newToken(visitor);
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const file = await client.files.create({ file: await toFile(Buffer.from('a'), 'a.md'), purpose: 'assistants' });
    const store = await client.vectorStores.create({ file_ids: [file.id] });
    await whileIndexing(
      app,
      until(
        'The store at the provider',
        async () => (await client.vectorStores.retrieve(store.id)).status === 'completed',
      ),
    );
    const [there] = await storesOf(app, key);
    const expected = {
      name: null,
      instructions: 'x'.repeat(256_000),
      tools: [
        { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' }, strict: false } },
        { type: 'code_interpreter' as const },
        { type: 'file_search' as const },
      ],
      metadata: { team: 'blue' },
      temperature: 1.4,
      top_p: 0.25,
      response_format: { type: 'json_object' as const },
    };
    const searching = (id: unknown, file_id = file.id) => ({
      tool_resources: { file_search: { vector_store_ids: [id] }, code_interpreter: { file_ids: [file_id] } },
    });
    const [copy] = await atProvider(app, key);
    const { body } = await visitor.post(path, [
      retired({ ...expected, ...searching(there?.id, copy?.id) }),
      retired({ id: 'asst_Second', ...expected, ...searching(store.id) }),
    ]);
    expect(body.failed).toEqual([]);
    for (const { openaiAssistantId: id, notes } of body.imported) {
      expect(notes).toEqual([
        "It has no name and is called 'Untitled assistant'.",
        expect.stringContaining('they are kept whole.'),
      ]);
      expect(await client.beta.assistants.retrieve(id)).toMatchObject({ id, ...expected, ...searching(store.id) });
    }
    // An agent has the same in another shape. Nobody gets another user’s vector store.
    const { visitor: other } = await app.someone();
    const agent = {
      id: 'agent_1',
      object: 'agent',
      tools: [{ type: 'function', name: 'get_time', description: null }],
    };
    const ofOther = (await other.post(path, [{ model: 'gpt-4o', name: 'Agent', ...agent, ...searching(store.id) }]))
      .body;
    expect(ofOther.imported[0].notes).toEqual([
      'Agents have no temperature; it is 1.',
      `Its vector store cannot be imported: ${store.id}. Give it the files again.`,
      `Its file for code cannot be imported: ${file.id}. Give it the files again.`,
    ]);
    const [{ api }] = (await other.get('/api/assistants/export')).body.assistants;
    expect(api).toEqual({ tools: [{ type: 'function', function: { name: 'get_time' } }] });
  });

  test('imports an assistant whose model has been shut down, with a note', async () => {
    const { body } = await (await someone()).post(path, draft({ model: 'gpt-4-turbo' }));
    expect(body.imported[0].model).toBe('gpt-4-turbo');
    expect(body.imported[0].notes).toEqual([
      expect.stringMatching(/^The model gpt-4-turbo retired on \d{4}-\d\d-\d\d\. Choose another one/),
    ]);
  });

  test('imports at most 100 at once; the same file again brings the rest', async () => {
    const visitor = await someone();
    const file = Array.from({ length: 130 }, (_, number) => draft({ name: `Number ${number}` }));
    const { body: first } = await visitor.post(path, file);
    expect([first.imported.length, first.failed.length]).toEqual([100, 30]);
    expect(first.failed[0]).toMatchObject({
      id: '#101',
      reason: expect.stringMatching(/^You can import 100 assistants/),
    });
    const { body: second } = await visitor.post(path, file);
    expect([second.imported.length, second.failed.length]).toEqual([30, 100]);
    expect(await defaultsOf(visitor)).toEqual([first.imported[0].id]);
  });

  test.each([
    ['text', '"text"'],
    ['a number', '7'],
    ['an empty list', '[]'],
    ['an empty export', '{"assistants":[]}'],
    ['a newer export', '{"format":"roster.assistants","version":2,"assistants":[{}]}'],
    ['broken JSON', '{"name":'],
    ['a dangerous field name', '{"name":"a","model":"b","__proto__":{"a":1}}'],
    ['too many fields', JSON.stringify(Array.from({ length: 20_001 }, () => 0))],
  ])('refuses %s', async (_what, text) => {
    const visitor = await app.as('refused');
    const { status, body } = await visitor.post(path, text);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(await idsOf(visitor)).toEqual([]);
  });

  test('accepts files up to 5 MiB', async () => {
    const visitor = await someone();
    const large = Array.from({ length: 20 }, (_, n) => draft({ name: `L${n}`, instructions: 'x'.repeat(250_000) }));
    expect((await visitor.post(path, large)).body.imported).toHaveLength(20);
    const tooLarge = await visitor.post(path, [...large, ...large]);
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 'too_large']);
  });
});
