import { describe, expect, test } from 'vitest';
import { at, expectError, expectSchema, KEY, listAt, startedSimulator, textAt } from '../testing.ts';
import { ASSISTANTS } from './seeds.ts';

describe('assistants of the retired API', () => {
  test('are listed in pages', async () => {
    const { get } = await startedSimulator();
    const { body } = await get('/assistants');
    expectSchema('ListAssistantsResponse', body);
    expect(listAt(body, 'data')).toHaveLength(4);
    const first = (await get('/assistants?limit=3')).body;
    expect(first).toMatchObject({ has_more: true });
    const second = (await get(`/assistants?limit=3&after=${textAt(first, 'last_id')}`)).body;
    expect(second).toMatchObject({ has_more: false });
    expect([...listAt(first, 'data'), ...listAt(second, 'data')]).toEqual(body.data);
    const before = (await get(`/assistants?before=${textAt(second, 'first_id')}`)).body;
    expect(before.data).toEqual(first.data);
  });

  test('include awkward ones', () => {
    const [, tools, long, nameless] = ASSISTANTS;
    expect(tools?.tools.map((tool) => tool.type)).toEqual(['file_search', 'code_interpreter', 'function']);
    expect(at(tools?.tool_resources, 'file_search', 'vector_store_ids')).toHaveLength(1);
    expect(long?.instructions).toHaveLength(20_000);
    expect(nameless?.name).toBeNull();
  });

  test('can be read one by one', async () => {
    const { get } = await startedSimulator();
    const { body } = await get('/assistants/asst_8fKq2ZrVn1LxWcTy5uHbGdEo');
    expectSchema('AssistantObject', body);
    expectError(await get('/assistants/asst_none'), 404, {});
  });

  test('can be configured, or empty', async () => {
    const { get } = await startedSimulator({ assistants: [] });
    expect((await get('/assistants')).body).toMatchObject({ data: [], has_more: false });
  });

  test('are not found if the provider has retired them', async () => {
    const { get } = await startedSimulator({ without: ['assistants'] });
    expectError(await get('/assistants?limit=100'), 404, { message: 'Invalid URL (GET /v1/assistants)' });
  });
});

describe('agents', () => {
  test('require their header', async () => {
    const { get } = await startedSimulator();
    expectError(await get('/agents'), 400, { message: expect.stringContaining("'OpenAI-Beta' header") });
    const { body } = await get('/agents', KEY, { 'openai-beta': 'agents=v1' });
    expect(listAt(body, 'data').map((agent) => at(agent, 'object'))).toEqual(['agent', 'agent']);
  });

  test('are listed by the official client', async () => {
    const { sdk } = await startedSimulator();
    const names: (string | null)[] = [];
    for await (const agent of sdk().beta.agents.list({ limit: 1 })) names.push(agent.name);
    expect(names).toEqual([null, 'Release Notes Writer']);
    expect((await sdk().beta.agents.retrieve('agent_5d1c0f7a92b34e68')).model).toBe('gpt-6.1-terra');
  });
});
