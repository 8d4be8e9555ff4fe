import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { reasoningOf } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('requests to the provider on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  async function withAssistant(settings: Record<string, unknown>) {
    await forgetAsks(app);
    const threadId = await newThread(ada, { assistantId: await createAssistant(ada, settings), title: 'Named' });
    const outcome = await ask(app, ada, threadId, 'A question');
    return { ...outcome, threadId, bodies: (await asksOf(app)).map(({ body }) => body) };
  }

  test('contain the instructions and the history in order, and store nothing there', async () => {
    const instructions = 'Answer as a gardener.';
    const { threadId, answer } = await withAssistant({ model: 'gpt-4o', instructions, temperature: 0.3 });
    await ask(app, ada, threadId, 'Another');
    const [first, second] = (await asksOf(app)).map(({ body }) => body);
    const settings = { model: 'gpt-4o', stream: true, store: false, instructions, temperature: 0.3 };
    expect(first).toEqual({ ...settings, input: [{ role: 'user', content: 'A question' }] });
    expect(second).toEqual({
      ...settings,
      input: [
        { role: 'user', content: 'A question' },
        { role: 'assistant', content: answer.text },
        { role: 'user', content: 'Another' },
      ],
    });
  });

  test('contain an answer with tool calls in its original order', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run, answer } = await ask(app, ada, threadId, 'First');
    const call = { run_id: run.id, message_id: run.messageId, kind: 'server', state: 'done', title: '' } as const;
    const made = (position: number, text_at: number, output: string | null) => {
      const named = { call_id: `call_${position}`, name: 'look_up', server: 'Library', input: '{}' };
      return { ...call, ...named, position, text_at, output };
    };
    await withDatabase(app, async (db) => {
      const { user_id } = await db
        .selectFrom('runs')
        .select('user_id')
        .where('id', '=', run.id)
        .executeTakeFirstOrThrow();
      const rows = [made(0, 0, 'one'), made(1, 0, 'two'), made(2, 5, 'three'), made(3, 7, null)];
      await db
        .insertInto('tool_calls')
        .values(rows.map((row) => ({ ...row, user_id })))
        .execute();
    });
    await ask(app, ada, threadId, 'Second');
    const called = (position: number) => ({
      type: 'function_call',
      call_id: `call_${position}`,
      name: 'look_up',
      arguments: '{}',
    });
    const toolOutput = (position: number, output: string) => ({
      type: 'function_call_output',
      call_id: `call_${position}`,
      output,
    });
    expect((await asksOf(app)).at(-1)?.body.input).toEqual([
      { role: 'user', content: 'First' },
      ...[called(0), called(1), toolOutput(0, 'one'), toolOutput(1, 'two')],
      { role: 'assistant', content: answer.text.slice(0, 5) },
      ...[called(2), toolOutput(2, 'three')],
      { role: 'assistant', content: answer.text.slice(5) },
      { role: 'user', content: 'Second' },
    ]);
  });

  test('contain only the default model and the text without an assistant', async () => {
    await forgetAsks(app);
    await ask(app, ada, await newThread(ada, { title: 'Named' }), 'Just words');
    expect((await asksOf(app)).map(({ body }) => body)).toEqual([
      { model: 'gpt-4o', stream: true, store: false, input: [{ role: 'user', content: 'Just words' }] },
    ]);
  });

  test('use another assistant from the next message on', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    await ask(app, ada, threadId, 'First');
    const assistantId = await createAssistant(ada, { model: 'gpt-4.1', instructions: 'Be brief.' });
    await ada.patch(`/api/threads/${threadId}`, { assistantId });
    await ask(app, ada, threadId, 'Second');
    expect((await asksOf(app)).at(-1)?.body).toMatchObject({ model: 'gpt-4.1', instructions: 'Be brief.' });
  });

  test.each([
    ['gpt-4o', null, { temperature: 0.7 }],
    ['gpt-4o', 'high', { temperature: 0.7 }],
    ['gpt-6.1-sol', 'high', { reasoning: { effort: 'high', summary: 'auto' } }],
    ['gpt-6.1-sol', null, {}],
    ['gpt-5.6-sol', 'none', { temperature: 0.7, reasoning: { effort: 'none' } }],
    ['gpt-5.6-sol', 'low', { reasoning: { effort: 'low', summary: 'auto' } }],
    ['gpt-5.6-sol', null, {}],
  ])('%s with effort %s gets only what it takes', async (model, reasoningEffort, expected) => {
    const { bodies, answer } = await withAssistant({ model, reasoningEffort, temperature: 0.7 });
    expect(bodies).toHaveLength(1);
    const { temperature, reasoning } = bodies[0];
    expect({ ...(temperature !== undefined && { temperature }), ...(reasoning && { reasoning }) }).toEqual(expected);
    expect(answer).toMatchObject({ state: 'complete', notes: [] });
  });

  test('count reasoning, which is shown', async () => {
    const { events, answer } = await withAssistant({ model: 'gpt-6.1-sol', reasoningEffort: 'low' });
    expect(reasoningOf(events)).toContain('Reading the request');
    expect(answer.reasoning).toBe(reasoningOf(events));
    expect(answer.usage?.reasoningTokens).toBeGreaterThan(0);
  });

  test('omit a rejected parameter with a note, until the next restart', async () => {
    // A model without reasoning that the catalog does not know.
    const settings = { model: 'chat-latest', reasoningEffort: 'high', temperature: 0.5 };
    const note = 'The reasoning effort was left out: chat-latest does not accept it.';
    await forgetAsks(app);
    const threadId = await newThread(ada, { assistantId: await createAssistant(ada, settings), title: 'Named' });
    const first = await ask(app, ada, threadId, 'One');
    const second = await ask(app, ada, threadId, 'Two');
    await app.restart();
    const third = await ask(app, ada, threadId, 'Three');
    expect([first, second, third].map(({ answer }) => [answer.state, answer.notes])).toEqual(
      Array(3).fill(['complete', [note]]),
    );
    const sent = (await asksOf(app)).map(({ body }) => [body.input.length, body.reasoning?.effort, body.temperature]);
    expect(sent).toEqual([
      [1, 'high', 0.5],
      [1, undefined, 0.5],
      [3, undefined, 0.5],
      // Limits met by a single key are only remembered in memory.
      [5, 'high', 0.5],
      [5, undefined, 0.5],
    ]);
  });

  test('omit only the effort that a model has rejected', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-5.3-codex', reasoningEffort: 'minimal' });
    const threadId = await newThread(ada, { assistantId, title: 'Named' });
    const refused = await ask(app, ada, threadId, 'One');
    expect(refused.answer.notes.at(-1)).toBe('The reasoning effort was left out: gpt-5.3-codex does not accept it.');
    await ada.patch(`/api/assistants/${assistantId}`, { reasoningEffort: 'high' });
    const taken = await ask(app, ada, threadId, 'Two');
    expect(taken.answer.state).toBe('complete');
    expect((await asksOf(app)).at(-1)?.body.reasoning).toMatchObject({ effort: 'high' });
  });

  test('omit the oldest part of a thread that exceeds the context, with a note', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-4o' });
    const threadId = await newThread(ada, { assistantId, title: 'Named' });
    // gpt-4o reads 128,000 tokens: about 50 messages of 10,000 characters.
    const long = `${'word '.repeat(1_990)}[[tokens 1]]`;
    await forgetAsks(app);
    let last = await ask(app, ada, threadId, long);
    for (let count = 0; count < 50 && last.answer.notes.length === 0; count++)
      last = await ask(app, ada, threadId, long);
    expect(last.answer).toMatchObject({ state: 'complete' });
    expect(last.answer.notes[0]).toMatch(/^The conversation is longer than this model can read: the oldest /);
    const { input } = (await asksOf(app)).at(-1)?.body ?? {};
    expect(input.at(-1)).toEqual({ role: 'user', content: long });
    expect(JSON.stringify(input).length / 4).toBeLessThan(128_000);
  });
});

describe('a provider without Responses', () => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp('sqlite', { simulator: { without: ['responses'] } });
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  test('is called by Chat Completions, and by Responses again only after a restart', async () => {
    const settings = { model: 'gpt-4o', instructions: 'Be kind.', temperature: 0.2 };
    const threadId = await newThread(ada, { assistantId: await createAssistant(ada, settings), title: 'Named' });
    const { answer } = await ask(app, ada, threadId, 'One');
    await ask(app, ada, threadId, 'Two');
    await app.restart();
    await ask(app, ada, threadId, 'Three');
    const requests = await asksOf(app);
    const [responses, chat] = ['/responses', '/chat/completions'];
    expect(requests.map(({ path }) => path)).toEqual([responses, chat, chat, responses, chat]);
    expect(requests[2]?.body).toEqual({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'One' },
        { role: 'assistant', content: answer.text },
        { role: 'user', content: 'Two' },
      ],
    });
    expect(answer).toMatchObject({ state: 'complete', usage: { estimated: false }, notes: [] });
  });

  test('gets the effort under its other name', async () => {
    await forgetAsks(app);
    const assistantId = await createAssistant(ada, { model: 'gpt-6.1-sol', reasoningEffort: 'low' });
    await ask(app, ada, await newThread(ada, { assistantId, title: 'Named' }), 'Think');
    const [{ body } = { body: {} }] = await asksOf(app);
    expect([body.reasoning_effort, body.temperature, body.reasoning]).toEqual(['low', undefined, undefined]);
  });

  test('fails the run with a message if it offers neither API', async () => {
    const bare = await startApp('sqlite', { simulator: { without: ['responses', 'chat'] } });
    const eve = await bare.withKey('eve');
    const { answer } = await ask(bare, eve, await newThread(eve), 'hello');
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'bad_request' } });
    expect(answer.error?.message).toContain('The provider does not serve this.');
    await bare.stop();
  });
});
