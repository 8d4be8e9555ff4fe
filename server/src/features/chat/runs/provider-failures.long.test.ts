import type { RunError } from '@roster/contracts/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, benchText, messagesOf, newThread, regenerated } from '#server/testing/chat';
import { lastOf, notesOf, textOf } from '#server/testing/events';
import { withFault } from '#server/testing/faults';

type Failing = [words: string, code: RunError['code'], message: RegExp, asks: number, text: string];
const failing: Failing[] = [
  ['[[401]]', 'key_rejected', /rejected the API key\. Incorrect API key provided: sk-…/, 1, ''],
  ['[[403]]', 'region', /country or region/, 1, ''],
  ['[[quota]]', 'insufficient_quota', /no credit left/, 1, ''],
  ['[[404]]', 'model_not_found', /no longer offers this model/, 1, ''],
  ['[[429 retry-after 120]]', 'rate_limited', /limiting requests/, 1, ''],
  ['[[500]]', 'provider_unavailable', /having trouble/, 3, ''],
  ['[[html]]', 'provider_unavailable', /^The provider is having trouble\.$/, 3, ''],
  ['[[disconnect]]', 'provider_unreachable', /could not be reached/, 3, ''],
  ['[[context]]', 'context_too_long', /longer than this model can read/, 1, ''],
  ['[[drop after 0]]', 'provider_broke_off', /disconnected|was lost/, 1, ''],
  ['[[bench 50]] [[drop after 5]]', 'provider_broke_off', /disconnected|was lost/, 1, benchText(5)],
  ['[[bench 50]] [[delay 5]] [[drop after 9]]', 'provider_broke_off', /disconnected|was lost/, 1, benchText(9)],
  ['[[bench 50]] [[malformed 3]]', 'provider_broke_off', /could not be read/, 1, benchText(3)],
  ['[[bench 50]] [[error 5]]', 'provider_unavailable', /had an error/, 1, benchText(5)],
  ['[[bench 50]] [[failed 7]]', 'provider_unavailable', /had an error/, 1, benchText(7)],
];
type Succeeding = [words: string, reason: string, asks: number, text: RegExp];
const succeeding: Succeeding[] = [
  ['[[500 once]]', 'complete', 2, /You wrote|I am here/],
  ['[[503 once]]', 'complete', 2, /You wrote|I am here/],
  ['[[429 retry-after 1 once]]', 'complete', 2, /You wrote|I am here/],
  ['[[disconnect once]]', 'complete', 2, /You wrote|I am here/],
  ['[[refusal]]', 'complete', 1, /^I'm sorry, but I can't help/],
  ['[[bench 50]] [[unknown]]', 'complete', 1, new RegExp(`^${benchText(50)}$`)],
  ['[[bench 50]] [[fragments]]', 'complete', 1, new RegExp(`^${benchText(50)}$`)],
  ['[[bench 50]] [[incomplete 20]]', 'length', 1, new RegExp(`^${benchText(20)}$`)],
  ['[[bench 50]] [[filter 30]]', 'content_filter', 1, new RegExp(`^${benchText(30)}$`)],
];

const modes = engines.map((engine) => ({ engine, without: [] as 'responses'[], by: 'responses' }));
// The other API is tested on one engine only.
modes.push({ engine: 'sqlite', without: ['responses'], by: 'chat completions' });

describe.each(modes)('a failing provider, by $by on $engine', ({ engine, without }) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { simulator: { without } });
    await app.as('ada');
  });
  afterAll(() => app.stop());

  /** Each user has a key, to tell the requests apart. */
  async function personAsks(words: string) {
    const name = `p${words.replace(/\W/g, '')}`.slice(0, 40);
    const visitor = await app.as(name);
    const apiKey = `sk-secret${name}${name.slice(-4)}`;
    await visitor.post('/api/settings/apikey', { apiKey });
    const threadId = await newThread(visitor);
    const message = `${words} ${name}`;
    const outcome = await ask(app, visitor, threadId, message);
    const requests = (await asksOf(app)).filter(
      ({ body, path }) =>
        (without.length === 0 || path !== '/responses') &&
        JSON.stringify(body.input ?? body.messages).includes(JSON.stringify(message)),
    );
    return { ...outcome, visitor, threadId, requests, words: message, name };
  }

  test.concurrent.each(failing)('%s fails as %s and keeps what there is', async (words, code, message, asks, text) => {
    const { answer, events, requests, visitor, threadId, ...sent } = await personAsks(words);
    const last = lastOf(events);
    expect(last?.type).toBe('failed');
    expect(answer.state).toBe('failed');
    expect(answer.error).toMatchObject({ code });
    expect(last).toEqual({ type: 'failed', error: answer.error });
    expect(answer.error?.message).toMatch(message);
    expect(answer.error?.message).not.toMatch(/sk-[A-Za-z0-9*]|secret|Bearer|<html|at .*:\d+/);
    expect(requests).toHaveLength(asks);
    expect(answer.text).toBe(text);
    expect(textOf(events)).toBe(text);
    const [question] = await messagesOf(visitor, threadId);
    expect(question).toEqual(sent.message);
    expect(answer.usage?.estimated).toBe(text === '' ? undefined : true);
    if (code === 'rate_limited') expect(answer.error?.retryAfterSeconds).toBe(120);
    const { body: key } = await visitor.get('/api/user/config');
    expect(key.apiKeyVerified).toBe(code !== 'key_rejected');
  });

  test.concurrent.each(succeeding)('%s ends as %s', async (words, reason, asks, text) => {
    const { answer, events, requests } = await personAsks(words);
    expect(lastOf(events)).toEqual({ type: 'finished', reason });
    expect(answer).toMatchObject({ state: 'complete', error: null });
    expect(answer.text).toMatch(text);
    expect(answer.usage).toMatchObject({ estimated: false });
    expect(requests).toHaveLength(asks);
    // Timers may fire a millisecond early on another clock.
    if (words.startsWith('[[429')) expect((requests[1]?.time ?? 0) - (requests[0]?.time ?? 0)).toBeGreaterThan(990);
  });

  test('reports a key without permission', async () => {
    const ada = await app.withKey('ada');
    const match = { path: without.length > 0 ? '/chat/completions' : '/responses' };
    const { answer } = await withFault(app, { fail: 'missing_scopes' }, match, async () =>
      ask(app, ada, await newThread(ada), 'May I?'),
    );
    expect(answer.error).toMatchObject({ code: 'missing_scope' });
    expect(answer.error?.message).toContain('Missing scopes: model.request');
  });

  test("masks secrets in the provider's messages, also a key in another format", async () => {
    const name = 'formless';
    const visitor = await app.as(name);
    const apiKey = 'sk-Zm9ybWxlc3M+with/other=signs';
    await visitor.post('/api/settings/apikey', { apiKey });
    const message = `Key ${apiKey} of org-AbC123 sent as Bearer abc.def was refused`;
    const match = { path: without.length > 0 ? '/chat/completions' : '/responses' };
    const { answer } = await withFault(app, { status: 400, error: { message } }, match, async () =>
      ask(app, visitor, await newThread(visitor), 'hello'),
    );
    expect(answer.error).toMatchObject({ code: 'bad_request' });
    expect(answer.error?.message).toMatch(/ was refused$/);
    expect(answer.error?.message).not.toMatch(/Zm9y|signs|AbC123|abc\.def/);
  });

  test('shortens a thread that is too long, with a note', async () => {
    const ada = await app.withKey('ada');
    const threadId = await newThread(ada);
    for (const words of ['One', 'Two', 'Three']) await ask(app, ada, threadId, words);
    const { answer, events } = await ask(app, ada, threadId, '[[context once]] Four');
    expect(answer).toMatchObject({ state: 'complete', error: null });
    expect(notesOf(events)).toEqual([
      'The conversation is longer than this model can read: the oldest 4 messages were left out.',
    ]);
    expect(answer.notes).toEqual(notesOf(events));
    const { body } = (await asksOf(app)).at(-1) ?? {};
    expect((body.input ?? body.messages).map(({ content }: { content: string }) => content).slice(-1)).toEqual([
      '[[context once]] Four',
    ]);
    expect(body.input ?? body.messages).toHaveLength(3);
  });

  test('allows a retry', async () => {
    const { visitor, threadId, message } = await personAsks('[[401 once]] again');
    const { run } = await regenerated(app, visitor, message.id);
    expect((await messagesOf(visitor, threadId)).at(-1)).toMatchObject({ id: run.messageId, state: 'complete' });
  });

  test('logs none of it as an internal error, and no secret', () => {
    const logged = app.logLines.join('');
    expect(logged).not.toMatch(/"level":[56]0/);
    expect(logged).not.toMatch(/sk-secret|Zm9ybWxl|AbC123/);
  });
});
