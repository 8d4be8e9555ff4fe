import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { called, callsOf, choice, done, frame, rows, say, stop } from '#server/testing/chat-shapes';
import { readEvents } from '#server/testing/events';
import { download } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { startRawProvider } from '#server/testing/raw-provider';
import { type FakeToolRegistry, fakeToolRegistry } from '#server/testing/tool-box';

/** A PNG of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(engines)('answers of servers with Chat Completions only, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let app: TestApp;
  let tools: FakeToolRegistry;
  let ada: HttpClient;
  let assistantId: number;
  /** The responses in order; the last one repeats. */
  let answers: string[] = [];
  let requests: JsonObject[] = [];
  beforeAll(async () => {
    provider = await startRawProvider((path, body) => {
      if (path !== '/chat/completions') return { status: 404, packets: ['{}'] };
      const request: unknown = JSON.parse(body);
      if (isObject(request)) requests.push(request);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return { packets: [answer ?? ''] };
    });
    tools = fakeToolRegistry();
    app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url }, tools: { box: tools.box } });
    ada = await app.withKey('ada');
    assistantId = await createAssistant(ada);
    tools.offer('pay', { approval: 'always' }, () => tools.said('Paid.'));
  });
  beforeEach(() => {
    requests = [];
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });
  const named = (more: object = {}) => newThread(ada, { title: 'Named', ...more });

  test('are shown as intended, and never as complete if cut off', async () => {
    const without = rows.filter(([, , { calls, refusal }]) => !calls && !refusal);
    const threadId = await named();
    for (const [shape, events, { text = '', reasoning = '', failure, reason = 'complete' }] of without) {
      answers = [events.map(frame).join('')];
      const { answer, events: laterEvents } = await ask(app, ada, threadId, 'Go on');
      const state = failure ? 'failed' : 'complete';
      expect([shape, answer.state, answer.text, answer.reasoning]).toEqual([shape, state, text, reasoning]);
      const last = laterEvents.at(-1)?.event;
      if (failure) expect([shape, answer.error?.message]).toEqual([shape, expect.stringMatching(failure)]);
      else expect([shape, last]).toEqual([shape, { type: 'finished', reason }]);
    }
  });

  test('report a reason that Roster does not know', async () => {
    answers = [[say('Yes', 'moonrise'), done].map(frame).join('')];
    const { answer } = await ask(app, ada, await named(), 'Go on');
    expect(answer).toMatchObject({ state: 'complete', notes: [expect.stringContaining('“moonrise”')] });
  });

  test('keep images as files and sources as links', async () => {
    const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }];
    const citations = ['https://a.example/'];
    answers = [[choice({ images }), { ...say('There.', 'stop'), citations }, done].map(frame).join('')];
    const { answer } = await ask(app, ada, await named(), 'Draw');
    expect(answer).toMatchObject({ text: 'There.', links: [{ url: 'https://a.example/', at: 6 }], notes: [] });
    expect(answer.files).toMatchObject([{ filename: 'picture 1.png', kind: 'image' }]);
    const { bytes } = await download(app, ada, answer.files[0]?.id ?? 0);
    expect(bytes.toString('base64')).toBe(png);
  });

  test('do not use reasoning as a title', async () => {
    answers = [[say('<think>A title, hm.</think>\n\nRain in Utrecht'), stop, done].map(frame).join('')];
    const threadId = await newThread(ada);
    const { answer } = await ask(app, ada, threadId, 'Does it rain?');
    expect(answer).toMatchObject({ text: 'Rain in Utrecht', reasoning: 'A title, hm.' });
    await until('The title', async () => (await ada.get(`/api/threads/${threadId}`)).body.title === 'Rain in Utrecht');
  });

  test('get their opaque data back with tool calls, also after an approval', async () => {
    const signature = { google: { thought_signature: 'c2ln' } };
    const details = [{ type: 'reasoning.encrypted', data: 'ZGF0YQ', index: 0 }];
    const pay = { ...called('demo_pay', { city: 'Utrecht', amount: 9007199254740993n.toString() }), id: '' };
    const calling = [
      choice({ reasoning_content: 'I have to', reasoning_details: details }),
      choice({ reasoning_content: ' pay.' }),
      callsOf([
        { ...pay, extra_content: signature },
        called('demo_pay', '{"id":9007199254740993}', { id: 'x'.repeat(999) }),
      ]),
      stop,
      done,
    ];
    answers = [calling.map(frame).join(''), [say('Paid.', 'stop'), done].map(frame).join('')];
    const threadId = await named({ assistantId });
    const { run } = await sendMessage(ada, threadId, 'Pay');
    const waits = async () => (await messageOf(ada, threadId, run.messageId)).state === 'waiting';
    await until('The question', waits);
    const { calls = [] } = await messageOf(ada, threadId, run.messageId);
    expect(calls.map(({ input }) => input)).toEqual([
      '{"city":"Utrecht","amount":"9007199254740993"}',
      '{"id":9007199254740993}',
    ]);
    for (const { callId } of calls)
      expect((await ada.post(`/api/runs/${run.id}/approvals/${callId}`, { decision: 'approve' })).status).toBe(200);
    const events = await readEvents(app, ada, run.id);
    // Only the provider gets it.
    expect(JSON.stringify(events)).not.toContain('c2ln');
    expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({ state: 'complete', text: 'Paid.' });
    const ids = calls.map(({ callId }) => callId);
    expect(requests.at(-1)?.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        reasoning_content: 'I have to pay.',
        reasoning_details: details,
        tool_calls: [
          { id: ids[0], extra_content: signature },
          { id: ids[1], function: { arguments: '{"id":9007199254740993}' } },
        ],
      },
      { role: 'tool', tool_call_id: ids[0], content: 'Paid.' },
      { role: 'tool', tool_call_id: ids[1], content: 'Paid.' },
    ]);
    await ask(app, ada, threadId, 'Thanks');
    expect(JSON.stringify(requests.at(-1)?.messages)).not.toContain('I have to');
  });
});
