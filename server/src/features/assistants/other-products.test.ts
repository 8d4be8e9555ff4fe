import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeAnyEnd, engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';

const path = '/api/assistants/import-file';

const model = (more: object = {}) => ({
  id: 'tutor',
  base_model_id: 'gpt-4o',
  name: 'Tutor',
  created_at: 1_715_000_000,
  is_active: true,
  future: { unknown: true },
  meta: {
    description: 'Explains',
    profile_image_url: 'data:image/png;base64,AA',
    suggestion_prompts: [{ content: 'Begin' }, { content: 'Go on' }, { content: 7 }],
    knowledge: [{ id: 'k1', name: 'Handbook' }],
    toolIds: ['weather'],
    filterIds: ['clean'],
  },
  params: { system: 'Be patient with {{USER_NAME}}', temperature: 0.3, top_p: 0.9, stop: null },
  ...more,
});

const agent = (more: object = {}) => ({
  _id: '65f',
  id: 'agent_abc',
  name: 'Researcher',
  description: 'Looks things up',
  instructions: 'Cite',
  provider: 'openAI',
  model: 'gpt-4o',
  model_parameters: { temperature: 0.2, maxContextTokens: 4_000, reasoning_effort: 'low' },
  tools: ['web_search', 'execute_code', 'file_search', 'getWeather_action_x'],
  tool_resources: { file_search: { file_ids: ['a', 'b'] } },
  agent_ids: ['agent_def'],
  conversation_starters: ['What is new?'],
  ...more,
});

const gpt = {
  gizmo: {
    id: 'g-1',
    display: { name: 'Chef', description: 'Cooks', prompt_starters: ['Dinner?'] },
    instructions: 'Season well',
  },
  tools: [{ type: 'browser' }, { type: 'dalle' }, { type: 'plugins_prototype' }],
  files: [{ id: 'f', name: 'menu.pdf' }],
};

describe.each(engines)('assistants of other products on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine, { now: beforeAnyEnd });
  });
  afterAll(() => app.stop());

  const someone = () => app.as(`person${++people}`);

  test('imports models of Open WebUI, and names what is lost', async () => {
    const { body } = await (await someone()).post(path, [model()]);
    expect(body.failed).toEqual([]);
    expect(body.imported).toMatchObject([
      {
        name: 'Tutor',
        description: 'Explains',
        model: 'gpt-4o',
        temperature: 0.3,
        instructions: 'Be patient with {{USER_NAME}}',
        starters: ['Begin', 'Go on'],
        openaiAssistantId: null,
        createdAt: '2024-05-06T12:53:20.000Z',
      },
    ]);
    expect(body.imported[0].notes).toEqual([
      'Its knowledge cannot be imported: Handbook.',
      'Its tools cannot be imported: weather.',
      'Its functions cannot be imported: clean.',
      'These settings cannot be imported: top_p.',
    ]);
  });

  test('keeps variables working where Roster has their like, and names the others', async () => {
    const system =
      '{{CURRENT_DATE}} {{CURRENT_DATETIME}} {{USER_LOCATION}} {{USER_LANGUAGE}} {{x: a | b}} {{USER_LOCATION}}';
    const instructions = '{{current_user}} {{iso_datetime}} {{current_date}}';
    const { body } = await (await someone()).post(path, [model({ params: { system } }), agent({ instructions })]);
    expect(body.imported.map((one: { instructions: string }) => one.instructions)).toEqual([
      '{{CURRENT_DATE}} {{current_date}}, {{current_time}} {{USER_LOCATION}} {{language}} {{x: a | b}} {{USER_LOCATION}}',
      '{{user_name}} {{current_date}}, {{current_time}} {{current_date}}',
    ]);
    expect(body.imported[0].notes).toContain(
      'These variables in its instructions are not filled in: {{USER_LOCATION}}.',
    );
    expect(JSON.stringify(body.imported[1].notes)).not.toContain('variables');
  });

  test('imports agents of LibreChat, and names what is lost', async () => {
    const { body } = await (await someone()).post(path, { data: [agent()], object: 'list' });
    expect(body.imported).toMatchObject([
      {
        name: 'Researcher',
        model: 'gpt-4o',
        temperature: 0.2,
        reasoningEffort: 'low',
        instructions: 'Cite',
        starters: ['What is new?'],
        tools: { webSearch: {}, codeInterpreter: {} },
        openaiAssistantId: null,
      },
    ]);
    expect(body.imported[0].notes).toEqual([
      'Its 2 files cannot be imported.',
      'Its tools cannot be imported: getWeather_action_x.',
      'Its other agents cannot be imported.',
      'These settings cannot be imported: maxContextTokens.',
    ]);
  });

  test('imports a GPT of ChatGPT with the default model', async () => {
    const { body } = await (await someone()).post(path, gpt);
    expect(body.imported).toMatchObject([
      {
        name: 'Chef',
        description: 'Cooks',
        instructions: 'Season well',
        starters: ['Dinner?'],
        tools: { webSearch: {}, imageGeneration: {} },
      },
    ]);
    expect(body.imported[0].notes).toEqual([
      `GPTs have no model of their own: it uses ${body.imported[0].model}.`,
      'Its files cannot be imported: menu.pdf.',
      'Its actions cannot be imported: plugins_prototype.',
    ]);
  });

  test('shows what a file would create, and stores nothing', async () => {
    const visitor = await someone();
    const { status, body } = await visitor.post(`${path}?preview=true`, [model(), { name: 'Nothing' }]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      imported: [],
      planned: [{ id: '#1', name: 'Tutor', model: 'gpt-4o', description: 'Explains' }],
      failed: [{ id: '#2', name: 'Nothing', reason: 'Model is missing.' }],
    });
    expect((await visitor.get('/api/assistants')).body).toEqual([]);
  });

  test('numbers a second assistant with a name, once', async () => {
    const visitor = await someone();
    await createAssistant(visitor, { name: 'Tutor', instructions: 'Mine' });
    const { body } = await visitor.post(path, [model()]);
    expect(body.imported).toMatchObject([{ name: 'Tutor 2' }]);
    expect(body.imported[0].notes.at(-1)).toBe("It is called 'Tutor 2', because there is another assistant 'Tutor'.");
    expect((await visitor.post(path, [model()])).body).toMatchObject({
      imported: [],
      failed: [{ reason: "It is already there: 'Tutor 2' is the same in every field." }],
    });
    const other = model({ params: { system: 'Else' } });
    expect((await visitor.post(path, [other])).body.imported).toMatchObject([{ name: 'Tutor 3' }]);
  });

  test.each([
    ['texts instead of objects', model({ meta: 'none', params: [] })],
    ['lists instead of texts', agent({ description: [], instructions: null, tools: 'all', model_parameters: null })],
    ['a temperature that nobody has', model({ params: { temperature: 99 } })],
  ])('imports an entry with %s as far as it can be read', async (_what, entry) => {
    const { body } = await (await someone()).post(path, [entry]);
    expect([body.imported.length, body.failed]).toEqual([1, []]);
  });
});
