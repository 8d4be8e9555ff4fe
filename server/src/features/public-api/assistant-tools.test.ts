import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, tokensPath } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { askedOf, asksOf, forgetAsks } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { conforming } from '#server/testing/openai-schema';
import { newClient, recorded } from '#server/testing/responses';
import { fakeToolRegistry } from '#server/testing/tool-box';
import { personWithStore } from '#server/testing/vector-stores';

const chatPath = '/v1/chat/completions';
const responsesPath = '/v1/responses';
const weather = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };
const clock = { name: 'get_time', parameters: { type: 'object', properties: {} } };
const search = { webSearch: { domains: ['example.org'] } };
const asking = (content: string) => [{ role: 'user' as const, content }];

/** Chunks of a stream, in the provider's types. */
function chunksIn(text: string): OpenAI.ChatCompletionChunk[] {
  const blocks = text.split('\n\n').filter((block) => block !== '');
  expect(blocks.pop()).toBe('data: [DONE]');
  return blocks.map((block) => conforming('CreateChatCompletionStreamResponse', JSON.parse(block.slice(6))));
}
const wordsOf = (chunks: OpenAI.ChatCompletionChunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

describe.each(engines)('tools of an assistant used as a model, on %s', (engine) => {
  let app: TestApp;
  const servers = fakeToolRegistry();
  beforeAll(async () => {
    app = await startApp(engine, { tools: { box: servers.box } });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function someone() {
    const { visitor, key } = await app.someone();
    const { id, token, client } = await newClient(app, visitor);
    const send = async (path: string, body: object) => {
      await forgetAsks(app);
      const answer = await callApi(app, token, path, { method: 'POST', body });
      return { ...answer, note: answer.headers['x-roster-note'], asks: await asksOf(app) };
    };
    const make = (name: string, fields: object) =>
      client.beta.assistants.create({ name, model: 'gpt-4o', instructions: 'Help.', ...fields });
    return {
      visitor,
      key,
      id,
      client,
      make,
      chat: send.bind(null, chatPath),
      respond: send.bind(null, responsesPath),
    };
  }

  test('offers its functions only to clients that name no tools', async () => {
    const { make, chat, respond } = await someone();
    const fields = { response_format: { type: 'json_object' }, top_p: 0.4 };
    await make('Desk', { tools: [{ type: 'function', function: weather }], ...fields });
    const model = 'Desk@roster';
    const calling = await chat({ model, messages: asking('[[call]] Rain?') });
    expect(calling.body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'get_weather' } }] },
    });
    expect(calling.asks).toMatchObject([
      { path: '/chat/completions', body: { tools: [{ type: 'function', function: weather }], top_p: 0.4 } },
    ]);
    expect(calling.asks[0]?.body.response_format).toEqual({ type: 'json_object' });
    expect(calling.note).toBeUndefined();

    const response = await respond({ model, input: '[[call]] Rain?' });
    expect(response.body.output).toMatchObject([{ type: 'function_call', name: 'get_weather' }]);
    expect(response.body.tools).toMatchObject([{ type: 'function', name: 'get_weather', strict: false }]);
    expect(response.asks).toMatchObject([{ body: { top_p: 0.4, text: { format: { type: 'json_object' } } } }]);

    const own = await chat({
      model,
      messages: asking('Hi'),
      tools: [{ type: 'function', function: clock }],
      top_p: 0.9,
    });
    expect(own.asks).toMatchObject([{ body: { tools: [{ function: { name: 'get_time' } }], top_p: 0.9 } }]);
    expect(own.asks[0]?.body.tools).toHaveLength(1);
    expect((await chat({ model, messages: asking('Hi'), tools: [] })).asks[0]?.body.tools).toEqual([]);
    // The model knows the functions, and calls none.
    const none = await chat({ model, messages: asking('[[call]] Hi'), tool_choice: 'none' });
    expect(none.asks[0]?.body).toMatchObject({ tool_choice: 'none', tools: [{ function: { name: 'get_weather' } }] });
    const ownResponse = await respond({ model, input: 'Hi', tools: [{ type: 'function', ...clock, strict: false }] });
    expect(ownResponse.asks[0]?.body.tools).toMatchObject([{ name: 'get_time' }]);
  });

  test('searches the web in chat completions too, and names what was found', async () => {
    const { visitor, id, client, chat } = await someone();
    const assistantId = await createAssistant(visitor, {
      name: 'Scout',
      model: 'gpt-4o',
      tools: search,
      temperature: 0.3,
    });
    const model = 'Scout@roster';
    const messages = asking('[[web]] [[bench 40]] News?');
    const { status, body, asks, note } = await chat({ model, messages, max_tokens: 500, n: 1, stop: null });
    expect([status, note], JSON.stringify(body)).toEqual([200, undefined]);
    const { choices, usage } = conforming('CreateChatCompletionResponse', body);
    expect(choices[0].message.annotations).toMatchObject([
      { type: 'url_citation', url_citation: { url: 'https://example.org/first', start_index: 0 } },
      { url_citation: { url: 'https://example.com/second?page=2' } },
      { url_citation: { url: 'https://example.org/first' } },
    ]);
    expect(asks).toMatchObject([
      {
        path: '/responses',
        body: {
          model: 'gpt-4o',
          input: messages,
          store: false,
          temperature: 0.3,
          max_output_tokens: 500,
          tools: [{ type: 'web_search', filters: { allowed_domains: ['example.org'] } }],
        },
      },
    ]);

    const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
    const whole = await stream.finalChatCompletion();
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: choices[0].message.content },
    });
    expect(whole.usage).toEqual(usage);
    expect(whole.choices[0]?.message.annotations).toEqual(choices[0].message.annotations);
    const { text } = await chat({ model, messages, stream: true });
    const chunks = chunksIn(text);
    expect(wordsOf(chunks)).toBe(choices[0].message.content);
    expect(chunks.some((chunk) => chunk.usage)).toBe(false);

    const records = await recorded(app, id);
    expect(records.map(({ purpose, model: of, assistant_id: by }) => [purpose, of, by])).toEqual(
      Array.from({ length: 3 }, () => [
        ['chat', 'gpt-4o', assistantId],
        ['tool', 'web_search', assistantId],
      ]).flat(),
    );
    expect(records[0]).toMatchObject({ input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens });
  });

  test('combines functions and search, and continues the conversation from their results', async () => {
    const { visitor, make, client, chat } = await someone();
    const { id } = await make('Both', { tools: [{ type: 'function', function: weather }] });
    const own = (await visitor.get('/api/assistants')).body.find(({ name }: { name: string }) => name === 'Both');
    expect((await visitor.patch(`/api/assistants/${own.id}`, { tools: search })).status).toBe(200);
    for (const none of [{ tools: [] }, { tools: [{ type: 'function', function: clock }] }])
      expect((await chat({ model: id, messages: asking('Hi'), ...none })).asks[0]?.body.tools).toMatchObject([
        ...none.tools.map(() => ({ name: 'get_time' })),
        { type: 'web_search' },
      ]);
    const without = await chat({ model: id, messages: asking('Hi'), tool_choice: 'none' });
    expect(without.asks).toMatchObject([{ path: '/chat/completions', body: { tool_choice: 'none' } }]);
    expect(without.asks[0]?.body.tools).toHaveLength(1);
    const must = await chat({ model: id, messages: asking('[[call]] Hi'), tool_choice: 'required' });
    expect([must.asks[0]?.path, must.note]).toEqual([
      '/chat/completions',
      expect.stringContaining('would satisfy tool_choice'),
    ]);
    const messages = asking('[[call]] Rain?');
    const { text } = await chat({ model: id, messages, stream: true, stream_options: { include_usage: true } });
    const chunks = chunksIn(text);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
    const stream = client.chat.completions.stream({ model: id, messages });
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
    const [call] = message?.tool_calls ?? [];
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
    const answered = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'Rain.' };
    const next = await chat({ model: id, messages: [...messages, ...(message ? [message] : []), answered] });
    expect(next.body.choices[0].finish_reason).toBe('stop');
    expect(next.asks[0]?.body.input).toMatchObject([
      { role: 'user' },
      { type: 'function_call', call_id: call?.id, name: 'get_weather' },
      { type: 'function_call_output', call_id: call?.id, output: 'Rain.' },
    ]);
  });

  test('leaves out and reports what is unsupported: a field of Responses, a tool of the model', async () => {
    const { visitor, chat, respond } = await someone();
    await createAssistant(visitor, { name: 'Scout', model: 'gpt-4.1', tools: { ...search, imageGeneration: {} } });
    const model = 'Scout@roster';
    const stopping = await chat({ model, messages: asking('[[bench 3]]'), stop: 'x' });
    expect(stopping.asks).toMatchObject([{ path: '/chat/completions', body: { stop: 'x' } }]);
    expect(stopping.note).toContain("Web search was left out: it cannot be combined with this request's 'stop'.");
    expect(stopping.note).toContain('Image generation was left out');

    const refusing = await respond({ model, input: '[[no web_search]] [[bench 3]]' });
    expect([refusing.status, refusing.body.status]).toEqual([200, 'completed']);
    expect(refusing.note).toBe('Web search was left out: gpt-4.1 does not support it.');
    expect(refusing.asks).toHaveLength(2);
    const answer = await chat({ model, messages: asking('[[bench 3]]') });
    expect([answer.asks.length, answer.asks[0]?.path]).toEqual([1, '/chat/completions']);
    expect(answer.note).toContain('Web search was left out: gpt-4.1 does not support it.');
  });

  test('fails a call at no cost if a file cannot be uploaded to the provider', async () => {
    const { key, client, make, chat, id } = await someone();
    const body = { model: 'Coder@roster', messages: asking('Count') };
    await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files', key }, async () => {
      const file = await client.files.create({ file: await toFile(Buffer.from('a'), 'a.csv'), purpose: 'assistants' });
      await make('Coder', {
        tools: [{ type: 'code_interpreter' }],
        tool_resources: { code_interpreter: { file_ids: [file.id] } },
      });
      expect(await chat(body)).toMatchObject({ status: 502, asks: [] });
    });
    expect(await recorded(app, id)).toEqual([]);
  });

  test('asks the provider for nothing once the budget is used up, not even with files', async () => {
    const { visitor, token, client } = await personWithStore(app, 'terms.txt');
    const [{ id }] = (await visitor.get(tokensPath)).body;
    const { data } = await client.vectorStores.list();
    await client.beta.assistants.create({
      name: 'Clerk',
      model: 'gpt-4o',
      tools: [{ type: 'file_search' }],
      tool_resources: { file_search: { vector_store_ids: data.map((store) => store.id) } },
    });
    await withDatabase(app, (db) =>
      db
        .updateTable('access_tokens')
        .set({ monthly_budget_usd: 0.01, spent_usd: 1, spent_month: new Date().toISOString().slice(0, 7) })
        .where('id', '=', id)
        .execute(),
    );
    await forgetAsks(app);
    for (const [path, question] of [
      [chatPath, { messages: asking('How long?') }],
      [responsesPath, { input: 'How long?' }],
    ] as const) {
      const refused = await callApi(app, token, path, { method: 'POST', body: { model: 'Clerk@roster', ...question } });
      expect([refused.status, refused.body.error.code]).toEqual([429, 'insufficient_quota']);
    }
    expect((await askedOf(app)).filter(({ path }) => path.includes('/search') || path === '/responses')).toEqual([]);
  });

  test('answers with an error status if the provider refuses a stream', async () => {
    const { visitor, key, chat, id } = await someone();
    await createAssistant(visitor, { name: 'Scout', model: 'gpt-4.1', tools: { codeInterpreter: {} } });
    await withFault(app, { status: 429 }, { key }, async () => {
      const { status, body } = await chat({ model: 'Scout@roster', messages: asking('Hi'), stream: true });
      expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    });
    expect(await recorded(app, id)).toEqual([]);
  });

  test('gives code the provider’s file names, and shows Roster’s in the answer', async () => {
    const { client, make, chat, respond } = await someone();
    const file = async (name: string) =>
      (await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'assistants' })).id;
    const [fileId, deletedId] = [await file('a.csv'), await file('b.csv')];
    await make('Coder', {
      tools: [{ type: 'code_interpreter' }],
      tool_resources: { code_interpreter: { file_ids: [fileId, deletedId] } },
    });
    await client.files.delete(deletedId);
    const model = 'Coder@roster';
    const completion = await chat({ model, messages: asking('[[code]] Count') });
    const [given] = completion.asks[0]?.body.tools[0].container.file_ids ?? [];
    expect(completion.asks[0]?.body.tools).toEqual([
      { type: 'code_interpreter', container: { type: 'auto', file_ids: [given] } },
    ]);
    expect(given).not.toBe(fileId);
    const response = await respond({ model, input: '[[code]] Count', tools: [{ type: 'function', ...clock }] });
    expect(response.asks[0]?.body.tools).toMatchObject([{ name: 'get_time' }, { container: { file_ids: [given] } }]);
    expect(response.body.tools[1].container.file_ids).toEqual([fileId]);
    expect(response.body.output[0]).toMatchObject({ type: 'code_interpreter_call' });
    // A code interpreter configured by the client replaces the assistant's.
    const own = await respond({
      model,
      input: 'Hi',
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    });
    expect(own.asks[0]?.body.tools).toEqual([{ type: 'code_interpreter', container: { type: 'auto' } }]);
  });

  test('adds passages of its vector stores, and reports a deleted store but searches the others', async () => {
    const { client, token, storeId, visitor } = await personWithStore(app, 'terms.txt');
    const fileSearch = { type: 'file_search' as const, file_search: { max_num_results: 3 } };
    await client.beta.assistants.create({
      name: 'Clerk',
      model: 'gpt-4o',
      tools: [fileSearch],
      tool_resources: { file_search: { vector_store_ids: [storeId] } },
    });
    await forgetAsks(app);
    const body = { model: 'Clerk@roster', messages: asking('How long?') };
    await callApi(app, token, chatPath, { method: 'POST', body });
    const passage = expect.stringContaining('[terms.txt]\nA passage of terms.txt.');
    expect((await asksOf(app))[0]?.body.messages).toMatchObject([
      { role: 'system', content: passage },
      { role: 'user' },
    ]);
    await client.vectorStores.delete(storeId);
    const after = await callApi(app, token, responsesPath, {
      method: 'POST',
      body: { model: 'Clerk@roster', input: 'How long?' },
    });
    expect([after.status, after.headers['x-roster-note']]).toEqual([
      200,
      expect.stringContaining("The assistant's files could not be searched: "),
    ]);
    // Without the tool, nothing is searched.
    await createAssistant(visitor, { name: 'Plain', model: 'gpt-4o' });
    const plain = await callApi(app, token, responsesPath, {
      method: 'POST',
      body: { model: 'Plain@roster', input: 'x' },
    });
    expect(plain.headers['x-roster-note']).toBeUndefined();
  });

  test('draws images in responses, and records each', async () => {
    const { visitor, id, chat, respond } = await someone();
    await createAssistant(visitor, { name: 'Painter', model: 'gpt-4o', tools: { imageGeneration: {} } });
    const bare = await chat({ model: 'Painter@roster', messages: asking('Hi'), tool_choice: 'none' });
    expect(bare.asks[0]?.body.tool_choice).toBeUndefined();
    const { body } = await respond({ model: 'Painter@roster', input: '[[picture]] A cat', tool_choice: 'auto' });
    expect(body.output[0]).toMatchObject({ type: 'image_generation_call', status: 'completed' });
    expect(await recorded(app, id)).toMatchObject([
      { purpose: 'chat' },
      { purpose: 'chat' },
      { purpose: 'tool', model: 'image_generation' },
    ]);
    const none = await respond({ model: 'Painter@roster', input: 'A cat', tool_choice: 'none' });
    expect(none.asks[0]?.body.tools).toBeUndefined();
  });

  test('leaves out tools of tool servers, and says so', async () => {
    const { visitor, chat } = await someone();
    servers.offer('lookup');
    await createAssistant(visitor, { name: 'Caller', model: 'gpt-4o' });
    const { note, asks } = await chat({ model: 'Caller@roster', messages: asking('Hi') });
    servers.withdraw('lookup');
    expect(note).toContain('Demo server');
    expect(asks[0]?.body.tools).toBeUndefined();
  });
});
