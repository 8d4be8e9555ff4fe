import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { startApp, type TestApp } from '#server/testing/app';
import { benchText } from '#server/testing/chat';
import { openEvents, textOf } from '#server/testing/events';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';

const quick = { pollIntervalMs: 20 };
const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

describe('API runs in several processes on one PostgreSQL', () => {
  let app: TestApp;
  let ada: HttpClient;
  let adaThere: HttpClient;
  let here: OpenAI;
  let there: OpenAI;
  let second: { url: string; origin: string };
  let assistant_id: string;
  beforeAll(async () => {
    app = await startApp('postgres');
    second = await app.secondProcess();
    ada = await app.withKey('ada');
    adaThere = createHttpClient(() => second);
    for (const [name, value] of ada.cookies) adaThere.cookies.set(name, value);
    const { token: apiKey } = await newToken(ada);
    const clientOf = ({ url }: { url: string }) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
    here = clientOf(app);
    there = clientOf(second);
    ({ id: assistant_id } = await here.beta.assistants.create({ model: 'gpt-4o', tools }));
  });
  afterAll(() => app.stop());

  test('follows a run from another process, by client and on pages', async () => {
    const thread = saying('[[bench 400]] [[delay 20]]');
    const { id, thread_id } = await here.beta.threads.createAndRun({ assistant_id, thread });
    const [{ id: number }] = (await adaThere.get('/api/threads?programs=true')).body.items;
    const { runId } = (await adaThere.get(`/api/threads/${number}`)).body;
    const events = await openEvents(second, adaThere, runId);
    await events.until(5);
    expect(await there.beta.threads.runs.retrieve(id, { thread_id })).toMatchObject({ status: 'in_progress' });
    const blocked = `Thread ${thread_id} already has an active run ${id}.`;
    await expect(there.beta.threads.runs.create(thread_id, { assistant_id })).rejects.toThrow(blocked);
    await there.beta.threads.runs.cancel(id, { thread_id });
    expect(await there.beta.threads.runs.poll(id, { thread_id }, quick)).toMatchObject({ status: 'cancelled' });
    const streamed = textOf(await events.all());
    const [message] = (await there.beta.threads.messages.list(thread_id)).data;
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'run_cancelled' } });
    expect(message?.content[0]).toMatchObject({ text: { value: streamed } });
    expect(benchText(400).startsWith(streamed)).toBe(true);
  });

  test('ends a stream as soon as another process cancels its run', async () => {
    const stream = here.beta.threads.createAndRunStream({
      assistant_id,
      thread: saying('[[bench 40000]] [[delay 20]]'),
    });
    const names: string[] = [];
    for await (const { event, data } of stream) {
      if (names.at(-1) !== event) names.push(event);
      if (event === 'thread.message.created')
        await there.beta.threads.runs.cancel(data.run_id ?? '', { thread_id: data.thread_id });
    }
    expect(names.at(-1)).toBe('thread.run.cancelled');
  });

  test('resumes a waiting run once, in the process that receives the function results', async () => {
    const run = await here.beta.threads.createAndRunPoll({ assistant_id, thread: saying('[[call]] Rain?') }, quick);
    const { thread_id } = run;
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const outputs = { thread_id, tool_outputs: [{ tool_call_id: call?.id ?? '', output: 'dry' }] };
    const [one, other] = await Promise.allSettled([
      there.beta.threads.runs.submitToolOutputsStream(run.id, outputs).finalRun(),
      here.beta.threads.runs.submitToolOutputsStream(run.id, outputs).finalRun(),
    ]);
    expect([one.status, other.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const ended = await here.beta.threads.runs.poll(run.id, { thread_id }, quick);
    expect(ended.status).toBe('completed');
    for (const client of [here, there])
      expect((await client.beta.threads.messages.list(thread_id, { run_id: run.id })).data).toHaveLength(1);
  });
});
