import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { callInProgress, conversation, pair } from '#server/testing/training-files';

const lines = (count: number, line: (topic: string) => string) =>
  Array.from({ length: count }, (_, number) => line(`${number}`)).join('\n');

describe.each(engines)('stopping the server while a training file is read on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const stored = async (visitor: HttpClient, content: string) =>
    (await uploaded(app, visitor, { filename: 'a.jsonl', content, purpose: 'fine-tune' })).id;

  const check = (visitor: HttpClient, trainingFileId: number) =>
    visitor.post('/api/fine-tuning/validate', { trainingFileId });
  const question = (topic: string) => conversation(topic, 'Yes.');
  const count = 200_000;

  test.each([
    ['a check', question, check],
    [
      'a conversion',
      (topic: string) => pair(topic, 'Yes.'),
      (visitor: HttpClient, fileId: number) => visitor.post('/api/fine-tuning/convert', { fileId }),
    ],
    [
      'a division',
      question,
      (visitor: HttpClient, fileId: number) => visitor.post('/api/fine-tuning/split', { fileId }),
    ],
  ])('is reported to the user who has started %s, and to one who waits', async (what, line, call) => {
    const [ada, bob] = [
      await app.as(`ada ${what}`.replaceAll(' ', '-')),
      await app.as(`bob ${what}`.replaceAll(' ', '-')),
    ];
    const [large, small] = [await stored(ada, lines(count, line)), await stored(bob, lines(20, question))];
    const inProgress = await callInProgress(() => call(ada, large));
    const waiting = await callInProgress(() => check(bob, small));
    await app.halt();
    for (const { status, body, headers } of await Promise.all([...inProgress, ...waiting]))
      expect([status, body.code, body.message, headers['retry-after']]).toEqual([
        503,
        'unavailable',
        'Roster is restarting. Please try again in a moment.',
        '3',
      ]);
    expect(app.logLines.filter((logged) => JSON.parse(logged).level >= 50)).toEqual([]);
    await app.startWith({});
    expect((await check(bob, small)).status).toBe(200);
    expect((await ada.get('/api/files')).body.length).toBe(1);
  });
});
