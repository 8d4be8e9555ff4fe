import { ApiRun } from '@roster/contracts/public-api/assistants/runs';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { calls, message, orderOf, started } from '#server/testing/assistant-stream';
import { asksOf, benchText, forgetAsks, messagesOf } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const clientOf = (app: TestApp, apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.url}/v1`, maxRetries: 0 });
const quick = { pollIntervalMs: 20 };

describe.each(engines)('API runs on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let token: string;
  let client: OpenAI;
  let plain: string;
  let calling: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    token = (await newToken(ada)).token;
    client = clientOf(app, token);
    const settings = { model: 'gpt-4o', instructions: 'Be brief.' };
    ({ id: plain } = await client.beta.assistants.create(settings));
    ({ id: calling } = await client.beta.assistants.create({ ...settings, tools: [weather] }));
  });
  afterAll(() => app.stop());

  const threadWith = async (content: string) => (await client.beta.threads.create(saying(content))).id;
  const toolIds = (run: OpenAI.Beta.Threads.Run) =>
    (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => id);

  test('answers at the end of a thread, with the request’s changes to the assistant', async () => {
    const thread_id = await threadWith('Hello [[bench 5]]');
    await forgetAsks(app);
    const run = await client.beta.threads.runs.createAndPoll(
      thread_id,
      {
        assistant_id: plain,
        additional_instructions: 'In Dutch.',
        additional_messages: [{ role: 'user', content: 'More [[bench 3]]' }],
        temperature: 0.2,
        top_p: 0.5,
        max_completion_tokens: 500,
        metadata: { a: 'b' },
        response_format: { type: 'json_object' },
      },
      quick,
    );
    expect(run).toMatchObject({
      ...{ object: 'thread.run', thread_id, assistant_id: plain, status: 'completed', metadata: { a: 'b' } },
      ...{ instructions: 'Be brief.\n\nIn Dutch.', model: 'gpt-4o', last_error: null, required_action: null },
      ...{ temperature: 0.2, top_p: 0.5, max_completion_tokens: 500, tool_choice: 'auto', tools: [] },
      ...{ usage: { completion_tokens: 3 }, expires_at: null, completed_at: expect.any(Number) },
    });
    // Internal fields are not exposed.
    expect(Object.keys(run).toSorted()).toEqual(ApiRun.keyof().options.toSorted());
    const [{ body } = { body: {} }] = await asksOf(app);
    expect(body).toMatchObject({
      ...{ instructions: 'Be brief.\n\nIn Dutch.', temperature: 0.2, top_p: 0.5, max_output_tokens: 500 },
      input: [
        { role: 'user', content: 'Hello [[bench 5]]' },
        { role: 'user', content: 'More [[bench 3]]' },
      ],
      text: { format: { type: 'json_object' } },
    });
    const [answer] = (await client.beta.threads.messages.list(thread_id)).data;
    expect(answer).toMatchObject({ run_id: run.id, assistant_id: plain, status: 'completed' });
    expect(answer?.content[0]).toMatchObject({ text: { value: benchText(3) } });
    const steps = (await client.beta.threads.runs.steps.list(run.id, { thread_id })).data;
    expect(steps).toMatchObject([{ type: 'message_creation', status: 'completed', usage: { completion_tokens: 3 } }]);
    expect(await client.beta.threads.runs.steps.retrieve(steps[0]?.id ?? '', { thread_id, run_id: run.id })).toEqual(
      steps[0],
    );
    const changed = await client.beta.threads.runs.update(run.id, { thread_id, metadata: { c: 'd' } });
    expect(changed).toEqual({ ...run, metadata: { c: 'd' } });
    expect((await client.beta.threads.runs.list(thread_id)).data).toEqual([changed]);
  });

  test('streams events in the order of the retired API', async () => {
    const thread = await threadWith('Hello [[bench 30]]');
    const stream = client.beta.threads.runs.stream(thread, { assistant_id: plain });
    expect(await orderOf(stream)).toEqual([...started, ...message, 'thread.run.completed']);
    const [finalMessage] = await stream.finalMessages();
    expect(finalMessage?.content[0]).toMatchObject({ text: { value: benchText(30) } });
    expect(await stream.finalRun()).toMatchObject({ status: 'completed', usage: { completion_tokens: 30 } });
    expect(await stream.finalRunSteps()).toMatchObject([{ type: 'message_creation', status: 'completed' }]);
    const together = client.beta.threads.createAndRunStream({ assistant_id: plain, thread: saying('Hi [[bench 4]]') });
    expect(await orderOf(together)).toEqual(['thread.created', ...started, ...message, 'thread.run.completed']);
  });

  test('pauses for functions of the client, and resumes with their results', async () => {
    const thread_id = await threadWith('[[call]] Rain in Utrecht?');
    const stream = client.beta.threads.runs.stream(thread_id, { assistant_id: calling });
    expect(await orderOf(stream)).toEqual([...started, ...calls, 'thread.run.requires_action']);
    const run = await stream.finalRun();
    const [call] = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    expect(run).toMatchObject({ status: 'requires_action', usage: null, expires_at: expect.any(Number) });
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ city: expect.any(String) });
    // Assembled by the client's helpers from the deltas.
    const [step] = await stream.finalRunSteps();
    expect(step).toMatchObject({ status: 'in_progress', step_details: { tool_calls: [{ id: call?.id }] } });
    const blocked = `Thread ${thread_id} already has an active run ${run.id}.`;
    await expect(client.beta.threads.runs.create(thread_id, { assistant_id: calling })).rejects.toMatchObject({
      status: 400,
      error: { message: blocked },
    });
    await expect(client.beta.threads.runs.submitToolOutputs(run.id, { thread_id, tool_outputs: [] })).rejects.toThrow(
      /Expected tool outputs for call_ids/,
    );
    const going = client.beta.threads.runs.submitToolOutputsStream(run.id, {
      thread_id,
      tool_outputs: [{ tool_call_id: call?.id ?? '', output: '12 degrees' }],
    });
    expect(await orderOf(going)).toEqual([
      'thread.run.step.completed',
      ...started.slice(1),
      ...message,
      'thread.run.completed',
    ]);
    const ended = await going.finalRun();
    expect(ended).toMatchObject({ id: run.id, status: 'completed' });
    const steps = (await client.beta.threads.runs.steps.list(run.id, { thread_id, order: 'asc' })).data;
    expect(steps).toMatchObject([
      {
        type: 'tool_calls',
        status: 'completed',
        step_details: { tool_calls: [{ id: call?.id, type: 'function', function: { output: '12 degrees' } }] },
      },
      { type: 'message_creation', status: 'completed' },
    ]);
    const sum = steps.reduce((total, { usage }) => total + (usage?.total_tokens ?? 0), 0);
    expect(ended.usage?.total_tokens).toBe(sum);
    const listed = (await client.beta.threads.messages.list(thread_id, { run_id: run.id })).data;
    expect(listed).toHaveLength(1);
    expect(JSON.stringify(listed[0]?.content)).toContain('The functions said: 12 degrees.');
    await expect(client.beta.threads.runs.submitToolOutputs(run.id, { thread_id, tool_outputs: [] })).rejects.toThrow(
      'Runs in status "completed" do not accept tool outputs.',
    );
    // The user sees the same conversation: calls and answer.
    const [{ id }] = (await ada.get('/api/threads?programs=true')).body.items;
    const shown = await messagesOf(ada, id);
    expect(shown.map(({ role, notes }) => [role, ...notes])).toEqual([
      ['user'],
      ['assistant', 'Called get_weather'],
      ['assistant'],
    ]);
  });

  test('rejects steps of another thread as cursors, whoever owns it', async () => {
    const bob = await app.withKey('bob');
    const bobs = clientOf(app, (await newToken(bob)).token);
    const { id: bobsAssistant } = await bobs.beta.assistants.create({ model: 'gpt-4o' });
    const runWith = async (by: OpenAI, assistant_id: string) => {
      const run = await by.beta.threads.createAndRunPoll({ assistant_id, thread: saying('Hello') }, quick);
      const [step] = (await by.beta.threads.runs.steps.list(run.id, { thread_id: run.thread_id })).data;
      return { id: run.id, thread_id: run.thread_id, step: step?.id ?? '' };
    };
    const [one, other, foreign] = [
      await runWith(client, plain),
      await runWith(client, plain),
      await runWith(bobs, bobsAssistant),
    ];
    const { runs } = client.beta.threads;
    const { thread_id } = one;
    for (const { id, step } of [other, foreign])
      for (const end of ['after', 'before']) {
        await expect(runs.list(thread_id, { [end]: id })).rejects.toMatchObject({
          status: 404,
          error: { message: `No run found with id '${id}'.` },
        });
        await expect(runs.steps.list(one.id, { thread_id, [end]: step })).rejects.toMatchObject({
          status: 404,
          error: { message: `No run step found with id '${step}'.` },
        });
      }
    expect((await runs.list(thread_id, { after: one.id })).data).toEqual([]);
    expect((await runs.steps.list(one.id, { thread_id, after: one.step })).data).toEqual([]);
    // The run of a message deleted since still has its place.
    await client.beta.threads.messages.create(thread_id, { role: 'user', content: 'And?' });
    const next = await runs.createAndPoll(thread_id, { assistant_id: plain }, quick);
    const written = (await client.beta.threads.messages.list(thread_id)).data.find(({ run_id }) => run_id === one.id);
    await client.beta.threads.messages.delete(written?.id ?? '', { thread_id });
    expect((await runs.list(thread_id, { order: 'asc', after: one.id })).data.map(({ id }) => id)).toEqual([next.id]);
  });

  test('answers from the instructions without a thread or messages', async () => {
    await forgetAsks(app);
    const made = await client.beta.threads.createAndRunPoll({ assistant_id: plain }, quick);
    const { id: empty } = await client.beta.threads.create();
    const inEmpty = await client.beta.threads.runs.createAndPoll(empty, { assistant_id: plain }, quick);
    for (const run of [made, inEmpty]) {
      expect(run).toMatchObject({ status: 'completed', assistant_id: plain });
      const { data } = await client.beta.threads.messages.list(run.thread_id);
      expect(data.map(({ role, run_id }) => [role, run_id])).toEqual([['assistant', run.id]]);
    }
    expect(made.thread_id).not.toBe(empty);
    const [providerRequest] = await asksOf(app);
    expect(JSON.stringify(providerRequest?.body)).toContain('Be brief.');
    const more = { role: 'user' as const, content: 'And now? [[bench 2]]' };
    await client.beta.threads.messages.create(empty, more);
    const next = await client.beta.threads.runs.createAndPoll(empty, { assistant_id: plain }, quick);
    expect(next.status).toBe('completed');
    const { items } = (await ada.get('/api/threads?programs=true')).body;
    for (const { id } of items) expect((await ada.get(`/api/threads/${id}/messages`)).status).toBe(200);
  });

  test('lists runs and messages just before a cursor, in the list’s order', async () => {
    const messages = ['one', 'two', 'three', 'four', 'five'].map((content) => ({ role: 'user' as const, content }));
    const { id } = await client.beta.threads.create({ messages });
    const { data: all } = await client.beta.threads.messages.list(id, { order: 'asc' });
    const nameOf = new Map(all.map((one, index) => [one.id, messages[index]?.content]));
    const page = async (query: OpenAI.Beta.Threads.MessageListParams) => {
      const { data, has_more } = await client.beta.threads.messages.list(id, query);
      return [...data.map((one) => nameOf.get(one.id)), has_more];
    };
    const [one, , , four, five] = all.map((message) => message.id);
    expect(await page({ order: 'asc', before: five ?? '', limit: 2 })).toEqual(['three', 'four', true]);
    expect(await page({ order: 'desc', before: one ?? '', limit: 2 })).toEqual(['three', 'two', true]);
    expect(await page({ order: 'asc', before: four ?? '', after: one ?? '', limit: 5 })).toEqual([
      'two',
      'three',
      false,
    ]);
    expect(await page({ order: 'asc', before: one ?? '' })).toEqual([false]);
  });

  test('resumes if a function returns nothing, which is an empty text', async () => {
    const run = await client.beta.threads.createAndRunPoll(
      { assistant_id: calling, thread: saying('[[call]]') },
      quick,
    );
    const { thread_id } = run;
    const tool_outputs = toolIds(run).map((tool_call_id) => ({ tool_call_id }));
    const ended = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, { thread_id, tool_outputs }, quick);
    expect(ended.status).toBe('completed');
    const steps = (await client.beta.threads.runs.steps.list(run.id, { thread_id, order: 'asc' })).data;
    expect(steps[0]).toMatchObject({ step_details: { tool_calls: [{ function: { output: '' } }] } });
  });

  test.each([
    ['a function', { type: 'function' as const, function: { name: 'get_weather' } }],
    ['any tool', 'required' as const],
  ])('requires a call of %s once and not forever, whatever the provider counts', async (_what, tool_choice) => {
    const request = { assistant_id: calling, tool_choice, thread: saying('Rain?') };
    await forgetAsks(app);
    const run = await client.beta.threads.createAndRunPoll(request, quick);
    expect(run).toMatchObject({ status: 'requires_action', tool_choice });
    // As from a server that reports no usage.
    await withDatabase(app, (db) => db.updateTable('usage_records').set({ input_tokens: 0 }).execute());
    const { thread_id } = run;
    const tool_outputs = toolIds(run).map((tool_call_id) => ({ tool_call_id, output: 'dry' }));
    const ended = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, { thread_id, tool_outputs }, quick);
    expect(ended).toMatchObject({ status: 'completed', tool_choice });
    const choices = (await asksOf(app)).map(({ body }) => body.tool_choice);
    expect(choices).toEqual([expect.not.stringMatching('auto'), 'auto']);
  });

  test('cancels runs that wait and runs that are being answered', async () => {
    const waiting = await client.beta.threads.createAndRunPoll(
      { assistant_id: calling, thread: saying('[[call]] Rain?') },
      quick,
    );
    const { thread_id } = waiting;
    expect(await client.beta.threads.runs.cancel(waiting.id, { thread_id })).toMatchObject({
      status: 'cancelled',
      cancelled_at: expect.any(Number),
    });
    await expect(client.beta.threads.runs.cancel(waiting.id, { thread_id })).rejects.toThrow(
      "Cannot cancel run with status 'cancelled'.",
    );
    const again = await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id: plain }, quick);
    expect(again.status).toBe('completed');
    const slow = await threadWith('Hello [[bench 400]] [[delay 50]]');
    const stream = client.beta.threads.runs.stream(slow, { assistant_id: plain });
    const names: string[] = [];
    /** The poll interval in the response. */
    const pollAfter = async (id: string) => {
      const retrieval = client.beta.threads.runs.retrieve(id, { thread_id: slow });
      return (await retrieval.withResponse()).response.headers.get('openai-poll-after-ms');
    };
    for await (const { event, data } of stream) {
      if (names.at(-1) !== event) names.push(event);
      if (event !== 'thread.message.created') continue;
      expect(await pollAfter(data.run_id ?? '')).toMatch(/^\d{3,4}$/);
      await client.beta.threads.runs.cancel(data.run_id ?? '', { thread_id: slow });
    }
    expect(await pollAfter((await stream.finalRun()).id)).toBeNull();
    expect(names.slice(-3)).toEqual(['thread.message.incomplete', 'thread.run.step.cancelled', 'thread.run.cancelled']);
  });

  test('expires if nobody answers, and frees the thread', async () => {
    const run = await client.beta.threads.createAndRunPoll(
      { assistant_id: calling, thread: saying('[[call]] Rain?') },
      quick,
    );
    const { thread_id } = run;
    await withDatabase(app, (db) =>
      db
        .updateTable('program_runs')
        .set({ waits_until: '2026-01-01T00:00:00.000Z' })
        .where('state', '=', 'waiting')
        .execute(),
    );
    const expired = await client.beta.threads.runs.retrieve(run.id, { thread_id });
    expect(expired).toMatchObject({ status: 'expired', required_action: null });
    const [id = ''] = toolIds(run);
    await expect(
      client.beta.threads.runs.submitToolOutputs(run.id, {
        thread_id,
        tool_outputs: [{ tool_call_id: id, output: '' }],
      }),
    ).rejects.toThrow('Runs in status "expired" do not accept tool outputs.');
    const next = await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id: plain }, quick);
    expect(next.status).toBe('completed');
  });

  test('waits across a restart, and fails with a message if the provider fails', async () => {
    const run = await client.beta.threads.createAndRunPoll(
      { assistant_id: calling, thread: saying('[[call]] Rain?') },
      quick,
    );
    await app.restart();
    client = clientOf(app, token);
    const tool_outputs = toolIds(run).map((tool_call_id) => ({ tool_call_id, output: 'dry' }));
    const ended = await client.beta.threads.runs.submitToolOutputsAndPoll(
      run.id,
      { thread_id: run.thread_id, tool_outputs },
      quick,
    );
    expect(ended.status).toBe('completed');
    const failed = client.beta.threads.createAndRunStream({
      assistant_id: plain,
      thread: saying('[[bench 9]] [[failed 5]]'),
    });
    expect((await orderOf(failed)).slice(-3)).toEqual([
      'thread.message.incomplete',
      'thread.run.step.failed',
      'thread.run.failed',
    ]);
    const limited = await client.beta.threads.createAndRunPoll(
      { assistant_id: plain, thread: saying('[[429 retry-after 120]]') },
      quick,
    );
    expect(limited).toMatchObject({ status: 'failed', last_error: { code: 'rate_limit_exceeded' } });
    const cut = await client.beta.threads.createAndRunPoll(
      { assistant_id: plain, thread: saying('[[bench 9]] [[incomplete 5]]') },
      quick,
    );
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_completion_tokens' } });
  });

  test('belongs to one user, is billed to its token and stops at the token’s budget', async () => {
    const run = await client.beta.threads.createAndRunPoll({ assistant_id: plain, thread: saying('Hello') }, quick);
    const { visitor } = await app.someone();
    const other = clientOf(app, (await newToken(visitor)).token);
    const { thread_id } = run;
    const unknown = `No thread found with id '${thread_id}'.`;
    await expect(other.beta.threads.runs.retrieve(run.id, { thread_id })).rejects.toThrow(unknown);
    await expect(other.beta.threads.runs.create(thread_id, { assistant_id: plain })).rejects.toThrow(unknown);
    const bea = await app.withKey('bea');
    const { id, token: ofBea } = await newToken(bea, { monthlyBudgetUsd: 0.01 });
    const beas = clientOf(app, ofBea);
    const assistant = await beas.beta.assistants.create({ model: 'gpt-4o' });
    const request = { assistant_id: assistant.id, thread: saying('[[tokens 2000]]') };
    expect((await beas.beta.threads.createAndRunPoll(request, quick)).status).toBe('completed');
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('usage_records').selectAll().where('access_token_id', '=', id).execute(),
    );
    expect(rows).toHaveLength(1);
    await forgetAsks(app);
    await expect(beas.beta.threads.createAndRun(request)).rejects.toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    });
    expect(await asksOf(app)).toEqual([]);
    expect((await bea.get('/api/threads?programs=true')).body.items).toHaveLength(1);
  });

  test('continues after its token is revoked, while its stream ends', async () => {
    const { id, token: ending } = await newToken(ada);
    const thread = await threadWith('Hello [[bench 200]] [[delay 40]]');
    const stream = clientOf(app, ending).beta.threads.runs.stream(thread, { assistant_id: plain });
    let run = '';
    const read = (async () => {
      for await (const { event, data } of stream) {
        if (event === 'thread.run.created') run = data.id;
        if (event === 'thread.message.created') await ada.delete(`/api/access-tokens/${id}`);
      }
    })();
    await expect(read).rejects.toThrow(/token has expired/);
    const ended = await client.beta.threads.runs.poll(run, { thread_id: thread }, quick);
    expect(ended).toMatchObject({ status: 'completed', usage: { completion_tokens: 200 } });
  });
});

describe('a provider without Responses', () => {
  let app: TestApp;
  let client: OpenAI;
  beforeAll(async () => {
    app = await startApp('sqlite', { simulator: { without: ['responses'] } });
    client = clientOf(app, (await newToken(await app.withKey('ada'))).token);
  });
  afterAll(() => app.stop());

  test('calls functions too, and says that it runs no code', async () => {
    const calling = await client.beta.assistants.create({ model: 'gpt-4o', tools: [weather] });
    const run = await client.beta.threads.createAndRunPoll(
      { assistant_id: calling.id, thread: saying('[[call]] Rain?') },
      quick,
    );
    const { thread_id } = run;
    const open = run.required_action?.submit_tool_outputs.tool_calls ?? [];
    const tool_outputs = open.map(({ id }) => ({ tool_call_id: id, output: 'dry' }));
    const ended = await client.beta.threads.runs.submitToolOutputsAndPoll(run.id, { thread_id, tool_outputs }, quick);
    expect(ended.status).toBe('completed');
    const [answer] = (await client.beta.threads.messages.list(thread_id)).data;
    expect(JSON.stringify(answer?.content)).toContain('The functions said: dry.');
    const failed = await client.beta.threads.runs.createAndPoll(
      thread_id,
      { assistant_id: calling.id, tools: [{ type: 'code_interpreter' }] },
      quick,
    );
    expect(failed).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
    expect(failed.last_error?.message).toContain('This provider has no code interpreter.');
  });
});
