import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { messagesOf } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const quick = { pollIntervalMs: 20 };

describe.each(engines)('an API run as its user sees it, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let client: OpenAI;
  let calling: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    client = new OpenAI({ apiKey: (await newToken(ada)).token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const settings = { name: 'Weather desk', model: 'gpt-4o', instructions: 'Be brief.' };
    ({ id: calling } = await client.beta.assistants.create({ ...settings, tools: [weather] }));
  });
  afterAll(() => app.stop());

  const newestThread = async () => (await ada.get('/api/threads?programs=true')).body.items[0];

  test('shows calls, their results, and how long it waits', async () => {
    const question = saying('[[call]] Rain in Utrecht?');
    const run = await client.beta.threads.createAndRunPoll({ assistant_id: calling, thread: question }, quick);
    const { id } = await newestThread();
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const [, waiting] = await messagesOf(ada, id);
    const { name, arguments: input } = call?.function ?? {};
    const shown = { kind: 'function', callId: call?.id, name, title: '', server: null, input, at: 0 };
    expect(waiting?.calls).toEqual([{ ...shown, state: 'waiting', output: null }]);
    expect(Math.floor(Date.parse(waiting?.waitsUntil ?? '') / 1000)).toBe(run.expires_at);

    const output = 'x'.repeat(5000);
    const tool_outputs = [{ tool_call_id: call?.id ?? '', output }];
    await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, { thread_id: run.thread_id, tool_outputs }, quick);
    const [questionMessage, called, answered] = await messagesOf(ada, id);
    // Long texts are truncated.
    expect(called?.calls).toEqual([{ ...shown, state: 'done', output: `${output.slice(0, 4000)}…` }]);
    for (const message of [questionMessage, called, answered]) expect(message).not.toHaveProperty('waitsUntil');
    for (const message of [questionMessage, answered]) expect(message).not.toHaveProperty('calls');
  });

  test('shows nothing as waiting after expiry', async () => {
    await client.beta.threads.createAndRunPoll({ assistant_id: calling, thread: saying('[[call]] Rain?') }, quick);
    const { id } = await newestThread();
    await withDatabase(app, (db) =>
      db
        .updateTable('program_runs')
        .set({ waits_until: '2026-01-01T00:00:00.000Z' })
        .where('state', '=', 'waiting')
        .execute(),
    );
    const [, called] = await messagesOf(ada, id);
    expect(called?.calls).toMatchObject([{ name: 'get_weather', output: null }]);
    expect(called).not.toHaveProperty('waitsUntil');
  });

  test('continues with the assistant of the last run, or with what the user chose', async () => {
    const thread = saying('Hello [[bench 3]]');
    const { thread_id } = await client.beta.threads.createAndRunPoll({ assistant_id: calling, thread }, quick);
    const { id, ...started } = await newestThread();
    const [{ id: assistantId }] = (await ada.get('/api/assistants')).body;
    expect(started).toMatchObject({ assistantId, model: null });
    const asAgain = { assistant_id: calling, additional_messages: [{ role: 'user' as const, content: '[[bench 3]]' }] };
    const chooseAndAskAgain = async () => {
      await ada.patch(`/api/threads/${id}`, { model: 'gpt-4o-mini' });
      await client.beta.threads.runs.createAndPoll(thread_id, asAgain, quick);
      return (await ada.get(`/api/threads/${id}`)).body;
    };
    expect(await chooseAndAskAgain()).toMatchObject({ assistantId, model: null });
    await withDatabase(app, (db) =>
      db.updateTable('threads').set({ access_token_id: null }).where('id', '=', id).execute(),
    );
    expect(await chooseAndAskAgain()).toMatchObject({ assistantId: null, model: 'gpt-4o-mini' });
  });
});
