import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, messageOf, messagesOf, newThread, sendMessage } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, notesOf, openEvents, readEvents, textOf, upTo } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import {
  callIdsIn,
  callsIn,
  type FakeToolRegistry,
  fakeToolRegistry,
  lastOutputs,
  statesOf,
  usageIn,
} from '#server/testing/tool-box';

describe.each(engines)('answers that call tools, on %s', (engine) => {
  let app: TestApp;
  let tools: FakeToolRegistry;
  let ada: HttpClient;
  let assistantId: number;
  beforeAll(async () => {
    tools = fakeToolRegistry();
    app = await startApp(engine, { tools: { box: tools.box, callMs: 2_000 } });
    ada = await app.withKey('ada');
    assistantId = await createAssistant(ada);
    tools.offer('weather', {}, ({ input }) => tools.said(`It rains in ${input.city}.`));
    tools.offer('clock', { mayRepeat: true }, () => tools.said('Noon.'));
    tools.offer('broken', {}, () => ({ text: 'No such street.', isError: true }));
    tools.offer('wild', {}, () => {
      throw new Error('a wild failure');
    });
    tools.offer('hanging', {}, () => new Promise(() => undefined));
    tools.offer('reading', { mayRepeat: true }, () => new Promise(() => undefined));
    tools.offer('huge', {}, () => tools.said(`${'x'.repeat(2 * 1024 * 1024)}\0`));
  });
  afterAll(() => app.stop());

  const thread = () => newThread(ada, { assistantId, title: 'With tools' });
  const asking = async (text: string) => ask(app, ada, await thread(), text);

  test('calls a tool, continues with its output, and stores, shows and counts all of it', async () => {
    await forgetAsks(app);
    const threadId = await thread();
    const watched = Promise.withResolvers<void>();
    tools.beginAfter(watched.promise);
    const { run } = await sendMessage(ada, threadId, '[[saying]] [[call demo_weather]] Utrecht tomorrow');
    const reader = await openEvents(app, ada, run.id);
    watched.resolve();
    const events = await reader.all();
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(statesOf(events)).toEqual(['running', 'done']);
    expect(events.map(({ number }) => number)).toEqual(upTo(events.length));
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(tools.callsOf('weather').at(-1)?.input).toEqual({ city: 'Utrecht' });
    const call = answer.calls?.[0];
    expect(call).toMatchObject({
      ...{ kind: 'server', name: 'demo_weather', title: 'The weather tool', server: 'Demo server', state: 'done' },
      output: 'It rains in Utrecht.',
    });
    const before = answer.text.slice(0, call?.at);
    expect(before).toMatch(/^Let me look that up\.$/);
    expect(answer.text.slice(call?.at)).toContain('The functions said: It rains in Utrecht.');
    const [first, second] = await asksOf(app);
    expect(first?.body.tools[0]).toMatchObject({
      type: 'function',
      name: 'demo_weather',
      description: 'Does weather.',
    });
    expect(second?.body.input.slice(-3)).toMatchObject([
      { role: 'assistant' },
      { type: 'function_call', name: 'demo_weather', arguments: '{"city":"Utrecht"}' },
      { type: 'function_call_output', output: 'It rains in Utrecht.' },
    ]);

    // The cost of the answer is that of both requests.
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('usage_records').selectAll().where('thread_id', '=', threadId).orderBy('id').execute(),
    );
    expect(rows.map(({ purpose, run_id, step_of, step }) => [purpose, run_id, step_of, step])).toEqual([
      ['tool_step', null, run.id, 1],
      ['chat', run.id, null, null],
    ]);
    const sumUsage = (of: (row: (typeof rows)[number]) => number) => rows.reduce((sum, row) => sum + of(row), 0);
    expect(answer.usage).toMatchObject({
      inputTokens: sumUsage((row) => row.input_tokens),
      outputTokens: sumUsage((row) => row.output_tokens),
      costUsd: sumUsage((row) => row.cost_usd ?? 0),
    });
    expect(usageIn(events)).toEqual({ type: 'usage', ...answer.usage });
    const today = new Date().toISOString().slice(0, 10);
    const { body: requests } = await ada.get(`/api/analytics/requests?from=${today}&to=${today}&limit=2`);
    expect(requests.items.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['chat', 'tool_step']);

    // Later readers get the same events, and the next request includes the calls.
    const replayed = await readEvents(app, ada, run.id);
    expect(replayed.map(({ event }) => event).filter(({ type }) => type !== 'tool')).toEqual(
      events.map(({ event }) => event).filter(({ type }) => type !== 'tool'),
    );
    expect(statesOf(replayed)).toEqual(['done']);
    await ask(app, ada, threadId, 'And then?');
    expect(await lastOutputs(app)).toEqual(['It rains in Utrecht.']);
    const { body: exported } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(JSON.stringify(exported)).toContain('It rains in Utrecht.');
  });

  test('run several calls of a step, read-only ones in parallel', async () => {
    const { answer } = await asking('[[call demo_weather demo_clock]] Leeds');
    expect(callsIn(answer)).toEqual([
      { name: 'demo_weather', state: 'done', output: 'It rains in Leeds.' },
      { name: 'demo_clock', state: 'done', output: 'Noon.' },
    ]);
  });

  test('report failing, throwing, hanging and verbose tools to the model', async () => {
    const failed = await asking('[[call demo_broken]]');
    expect(callsIn(failed.answer)).toEqual([{ name: 'demo_broken', state: 'failed', output: 'No such street.' }]);
    const thrown = await asking('[[call demo_wild]]');
    expect(callsIn(thrown.answer)[0]).toMatchObject({
      state: 'uncertain',
      output: expect.stringContaining('may have run'),
    });
    expect(app.logLines.join('')).toContain('calling a tool failed');
    const hung = await asking('[[call demo_hanging]]');
    expect(callsIn(hung.answer)[0]).toMatchObject({
      state: 'uncertain',
      output: 'The tool did not answer within 2 seconds. It may have run: ask before it is called again.',
    });
    expect(tools.callsOf('hanging').at(-1)?.signal.aborted).toBe(true);
    const read = await asking('[[call demo_reading]]');
    expect(callsIn(read.answer)[0]).toMatchObject({
      state: 'failed',
      output: 'The tool did not answer within 2 seconds.',
    });
    const huge = await asking('[[call demo_huge]]');
    expect(huge.answer.state).toBe('complete');
    expect(huge.answer.calls?.[0]?.output?.length).toBeLessThan(5_000);
    const [output] = await lastOutputs(app);
    expect(output?.length).toBeLessThan(1024 * 1024 + 100);
    expect(output).toMatch(/\[Cut: the tool said more\.\]$/);
  });

  test("limit the total output of an answer's tools, with a note", async () => {
    const names = ['ha', 'hb', 'hc', 'hd', 'he', 'hf', 'hg'];
    for (const name of names) tools.offer(name, {}, () => tools.said('x'.repeat(1024 * 1024)));
    const wished = names.map((name) => `demo_${name}`).join(' ');
    const { answer, events } = await asking(`[[call 2 ${wished}]]`);
    for (const name of names) tools.withdraw(name);
    const states = callsIn(answer).map(({ state }) => state);
    expect([answer.state, states.filter((state) => state === 'done').length, states.length]).toEqual([
      'complete',
      10,
      14,
    ]);
    expect(callsIn(answer).at(-1)?.output).toMatch(/10 MB, the limit of one answer\. The tool was not called\.$/);
    expect(notesOf(events)).toEqual([expect.stringMatching(/^The tools of this answer returned more than 10 MB/)]);
    expect(names.flatMap((name) => tools.callsOf(name))).toHaveLength(10);
    expect((await lastOutputs(app)).at(-1)).toMatch(/The tool was not called\.$/);
  });

  test('return an error for unknown tools and invalid or long arguments', async () => {
    const made = tools.calls.length;
    const invented = await asking('[[invent demo_other]]');
    expect(callsIn(invented.answer)).toEqual([
      { name: 'demo_other', state: 'failed', output: 'There is no tool called “demo_other”.' },
    ]);
    const broken = await asking('[[call demo_weather]] [[arguments]]');
    expect(callsIn(broken.answer)[0]?.output).toBe('Its arguments are not a JSON object. The tool was not called.');
    const long = await asking('[[call demo_weather]] [[arguments 70]]');
    expect(callsIn(long.answer)[0]?.output).toBe('Its arguments are longer than 64 KB. The tool was not called.');
    for (const { answer } of [invented, broken, long]) expect(answer.state).toBe('complete');
    expect(tools.calls).toHaveLength(made);
  });

  test('stop calling tools after 25 steps', async () => {
    await forgetAsks(app);
    const { events, answer } = await asking('[[call 40 demo_clock]]');
    expect(answer.state).toBe('complete');
    expect(answer.calls).toHaveLength(24);
    const requests = await asksOf(app);
    expect(requests).toHaveLength(25);
    expect(requests.map(({ body }) => body.tool_choice)).toEqual([...Array(24).fill('auto'), 'none']);
    expect(notesOf(events)).toEqual([
      'The answer used tools in 24 steps, the most that one answer can have, and was finished without them.',
    ]);
  });

  test('end with a message if a budget is used up, before the tool is called', async () => {
    const { visitor } = await app.someone();
    const own = await createAssistant(visitor);
    const threadId = await newThread(visitor, { assistantId: own });
    const first = await ask(app, visitor, threadId, 'word '.repeat(1_990));
    // The next request includes the first question and exceeds the budget.
    const amountUsd = Math.max(0.01, (first.answer.usage?.costUsd ?? 0) * 1.2);
    const budget = { assistantId: null, amountUsd, hardStop: true, warnAt: 0.8, tz: 'UTC' };
    expect((await visitor.post('/api/analytics/budgets', budget)).status).toBe(200);
    const made = tools.calls.length;
    const { answer } = await ask(app, visitor, threadId, `[[call demo_weather]] ${'word '.repeat(1_900)}`);
    expect(answer).toMatchObject({
      state: 'failed',
      error: { code: 'budget_exceeded', message: expect.stringContaining('is used up') },
    });
    expect(callsIn(answer)[0]).toMatchObject({ state: 'failed', output: expect.stringContaining('was not called') });
    expect(tools.calls).toHaveLength(made);
    const over = await ask(app, visitor, await newThread(visitor, { assistantId: own }), '[[call demo_weather]] Bonn', {
      overBudget: true,
    });
    expect(callsIn(over.answer)).toEqual([{ name: 'demo_weather', state: 'done', output: 'It rains in Bonn.' }]);
  });

  test('mark a running call as uncertain when the answer is stopped', async () => {
    const threadId = await thread();
    const made = tools.callsOf('hanging').length;
    const { run } = await sendMessage(ada, threadId, '[[call demo_hanging]]');
    await expect.poll(() => tools.callsOf('hanging').length).toBe(made + 1);
    await ada.post(`/api/runs/${run.id}/stop`);
    const answer = await messageOf(ada, threadId, run.messageId);
    expect(answer).toMatchObject({ state: 'stopped', usage: { estimated: false } });
    expect(callsIn(answer)[0]).toMatchObject({ state: 'uncertain', output: expect.stringContaining('may have run') });
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('usage_records').select('purpose').where('thread_id', '=', threadId).execute(),
    );
    expect(rows).toEqual([{ purpose: 'tool_step' }]);
  });

  test('offer API clients only tools without approval', async () => {
    tools.offer('pay', { approval: 'always' });
    const { visitor } = await app.someone('program');
    const { token } = await newToken(visitor);
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const own = { type: 'function' as const, function: { name: 'get_news' } };
    const { id: assistant_id } = await client.beta.assistants.create({ model: 'gpt-4o', tools: [own] });
    await forgetAsks(app);
    const asking = (content: string) =>
      client.beta.threads.createAndRunPoll(
        { assistant_id, thread: { messages: [{ role: 'user', content }] } },
        { pollIntervalMs: 20 },
      );
    const run = await asking('[[call demo_weather]] Oslo');
    expect(run.status).toBe('completed');
    const [request] = await asksOf(app);
    const names: string[] = request?.body.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('demo_weather');
    expect(names).not.toContain('demo_pay');
    expect(names).toContain('get_news');
    const { data } = await client.beta.threads.messages.list(run.thread_id);
    expect(JSON.stringify(data[0]?.content)).toContain('It rains in Oslo.');
    // If client functions are called too, the tool runs and the run waits for the functions.
    const both = await asking('[[call demo_weather get_news]] Bergen');
    expect(both.status).toBe('requires_action');
    const [call] = both.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(call?.function.name).toBe('get_news');
    await client.beta.threads.runs.submitToolOutputsAndPoll(
      both.id,
      { thread_id: both.thread_id, tool_outputs: [{ tool_call_id: call?.id ?? '', output: 'No news.' }] },
      { pollIntervalMs: 20 },
    );
    expect((await lastOutputs(app)).toSorted()).toEqual(['It rains in Bergen.', 'No news.']);
    tools.withdraw('pay');
  });

  test('call nothing without an assistant or without a request for it', async () => {
    const { answer } = await ask(app, ada, await newThread(ada), '[[call demo_weather]]');
    expect(answer.calls).toBeUndefined();
    expect((await asking('hello')).answer.calls).toBeUndefined();
  });
});

test('calls tools with Chat Completions, too', async () => {
  const tools = fakeToolRegistry();
  tools.offer('weather', {}, ({ input }) => tools.said(`It rains in ${input.city}.`));
  tools.offer('pay', { approval: 'always' });
  const app = await startApp('sqlite', { tools: { box: tools.box }, simulator: { without: ['responses'] } });
  const ada = await app.withKey('ada');
  const threadId = await newThread(ada, { assistantId: await createAssistant(ada) });
  const { answer } = await ask(app, ada, threadId, '[[call 2 demo_weather]] Utrecht');
  expect(callsIn(answer)).toEqual([
    { name: 'demo_weather', state: 'done', output: 'It rains in Utrecht.' },
    { name: 'demo_weather', state: 'done', output: 'It rains in Utrecht.' },
  ]);
  expect(await lastOutputs(app)).toEqual(['It rains in Utrecht.', 'It rains in Utrecht.']);
  const { run } = await sendMessage(ada, threadId, '[[call demo_pay]]');
  const reader = await openEvents(app, ada, run.id);
  await expect.poll(() => statesOf(reader.events)).toEqual(['running', 'waiting']);
  const [, , , waiting] = await messagesOf(ada, threadId);
  const call = waiting?.calls?.[0];
  expect(
    (await ada.post(`/api/runs/${run.id}/approvals/${callIdsIn(reader.events).at(-1)}`, { decision: 'approve' }))
      .status,
  ).toBe(200);
  expect(call).toMatchObject({ state: 'waiting', name: 'demo_pay' });
  expect(textOf(await reader.all())).toContain('The functions said: pay said so.');
  await app.stop();
});
