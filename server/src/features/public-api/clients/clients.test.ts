import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { calls, message, orderOf, started } from '#server/testing/assistant-stream';
import { createAssistant } from '#server/testing/assistants';
import { benchText } from '#server/testing/chat';
import { helperPlaces, type OfficialClient, officialClients, type RunStream } from '#server/testing/official-clients';
import { whileIndexing } from '#server/testing/vector-stores';

const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const { messages } = saying('Hello [[bench 5]]');
const quick = { pollIntervalMs: 20 };
const weather = { type: 'function' as const, function: { name: 'get_weather' } };

describe.each(engines)('clients and frameworks on %s', (engine) => {
  let app: TestApp;
  let options: { baseURL: string; apiKey: string };
  beforeAll(async () => {
    app = await startApp(engine);
    const ada = await app.withKey('ada');
    await createAssistant(ada, { name: 'Tutor' });
    const { token } = await newToken(ada);
    options = { baseURL: `${app.url}/v1`, apiKey: token };
  });
  afterAll(() => app.stop());

  type Use = (official: OfficialClient, version: string) => Promise<void>;

  /** Use cases, each with the helpers of the client's version. */
  const cases: [what: string, use: Use][] = [
    [
      'lists models',
      async ({ client }) => {
        const names: string[] = [];
        for await (const { id } of await client.models.list()) names.push(id);
        expect(names).toEqual(expect.arrayContaining(['Tutor@roster', 'gpt-4o']));
      },
    ],
    [
      'streams chat completions',
      async ({ answer }) => {
        for (const model of ['gpt-4o', 'Tutor@roster']) expect(await answer({ model, messages })).toBe(benchText(5));
      },
    ],
    [
      'streams responses',
      async ({ client }) => {
        const stream = client.responses.stream({ model: 'gpt-4o', input: 'Hello [[bench 5]]' });
        const content = [{ type: 'output_text', text: benchText(5) }];
        expect(await stream.finalResponse()).toMatchObject({ status: 'completed', output: [{ content }] });
      },
    ],
    [
      'uploads files',
      async ({ client }, version) => {
        const file = new File(['Hello'], `${version}.txt`);
        const made = await client.files.create({ file, purpose: 'assistants' });
        expect(made).toMatchObject({ object: 'file', bytes: 5, filename: `${version}.txt`, purpose: 'assistants' });
        expect(await (await client.files.content(made.id)).text()).toBe('Hello');
      },
    ],
    [
      'uploads batches into vector stores, and waits for them',
      async ({ client }, version) => {
        const { id } = await client.vectorStores.create({ name: version });
        const files = ['a', 'b'].map((name) => new File([`${name} of ${version}`], `${name}-${version}.md`));
        const batch = await whileIndexing(app, client.vectorStores.fileBatches.uploadAndPoll(id, { files }, quick));
        expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2, total: 2 } });
      },
    ],
    [
      'starts runs, and waits for them',
      async ({ client: { beta } }) => {
        const { id: assistant_id } = await beta.assistants.create({ model: 'gpt-4o' });
        const { id: thread_id } = await beta.threads.create({ messages });
        const run = await beta.threads.runs.createAndPoll(thread_id, { assistant_id }, quick);
        expect(run).toMatchObject({ thread_id, status: 'completed', usage: { completion_tokens: 5 } });
      },
    ],
    [
      'streams runs, also with their threads, with all events',
      async ({ client: { beta } }) => {
        const { id: assistant_id } = await beta.assistants.create({ model: 'gpt-4o' });
        const { id: thread_id } = await beta.threads.create({ messages });
        const ways: [opening: string[], start: () => RunStream][] = [
          [[], () => beta.threads.runs.stream(thread_id, { assistant_id })],
          [['thread.created'], () => beta.threads.createAndRunStream({ assistant_id, thread: { messages } })],
        ];
        for (const [opening, start] of ways) {
          const stream = start();
          expect(await orderOf(stream)).toEqual([...opening, ...started, ...message, 'thread.run.completed']);
          const [finalMessage] = await stream.finalMessages();
          expect(finalMessage?.content[0]).toMatchObject({ text: { value: benchText(5) } });
          expect(await stream.finalRun()).toMatchObject({ status: 'completed' });
          expect(await stream.finalRunSteps()).toMatchObject([{ type: 'message_creation', status: 'completed' }]);
        }
      },
    ],
    [
      'answers functions in a stream',
      async ({ client: { beta }, submitToolOutputs }) => {
        const { id: assistant_id } = await beta.assistants.create({ model: 'gpt-4o', tools: [weather] });
        const stream = beta.threads.createAndRunStream({ assistant_id, thread: saying('[[call]] Rain?') });
        expect(await orderOf(stream)).toEqual(['thread.created', ...started, ...calls, 'thread.run.requires_action']);
        const run = await stream.finalRun();
        const open = run.required_action?.submit_tool_outputs.tool_calls ?? [];
        expect(open).toMatchObject([{ function: { name: 'get_weather', arguments: expect.any(String) } }]);
        const going = submitToolOutputs(
          run,
          open.map(({ id }) => ({ tool_call_id: id, output: 'dry' })),
        );
        const order = ['thread.run.step.completed', ...started.slice(1), ...message, 'thread.run.completed'];
        expect(await orderOf(going)).toEqual(order);
        expect(JSON.stringify(await going.finalMessages())).toContain('The functions said: dry.');
        expect(await going.finalRun()).toMatchObject({ id: run.id, status: 'completed' });
      },
    ],
  ];

  // Concurrent: the first three poll a batch only every five seconds, whatever interval they get.
  describe.concurrent.each(officialClients)('official client %s', (version, make) => {
    test.each(cases)('%s', async (_, use) => use(make({ ...options, maxRetries: 0 }), version));
  });

  test('LangChain: answers at once and in pieces', async () => {
    const { baseURL, apiKey } = options;
    const model = new ChatOpenAI({ model: 'gpt-4o', apiKey, configuration: { baseURL }, maxRetries: 0 });
    const question = [new HumanMessage('Hello [[bench 5]]')];
    expect((await model.invoke(question)).content).toBe(benchText(5));
    let text = '';
    for await (const { content } of await model.stream(question)) text += String(content);
    expect(text).toBe(benchText(5));
  });

  test('AI SDK: answers in pieces', async () => {
    const provider = createOpenAI(options);
    const { textStream } = streamText({ model: provider.chat('gpt-4o'), messages, maxRetries: 0 });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe(benchText(5));
  });
});

test.each(officialClients)('lacks exactly the tested helpers that its row names: %s', (_version, make, lacks) => {
  const { client } = make({ baseURL: 'http://127.0.0.1:9/v1', apiKey: 'none', maxRetries: 0 });
  const at = (place: string) =>
    place.split('.').reduce<unknown>((of, name) => (of === undefined ? undefined : Object(of)[name]), client);
  expect(helperPlaces.filter((place) => typeof at(place) !== 'function')).toEqual(lacks);
});
