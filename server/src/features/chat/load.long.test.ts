import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { benchText, messageOf, newThread, sendMessage } from '#server/testing/chat';
import { lastOf, numbersOf, readEvents, textOf, upTo } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';

const people = 67;
const runsEach = 3;
const tokens = 60;

describe.each(engines)('200 concurrent answers on %s', (engine) => {
  let app: TestApp;
  const visitors: HttpClient[] = [];
  beforeAll(async () => {
    app = await startApp(engine);
    for (let number = 0; number < people; number++) visitors.push(await app.withKey(`person${number}`));
  });
  afterAll(() => app.stop());

  test('lose, duplicate and reorder nothing', async () => {
    const words = `[[bench ${tokens}]] [[delay 25]]`;
    const runs = await Promise.all(
      visitors.flatMap((visitor) =>
        Array.from({ length: runsEach }, async () => {
          const threadId = await newThread(visitor, { title: 'One of many' });
          const { run } = await sendMessage(visitor, threadId, words);
          return { visitor, threadId, run, events: await readEvents(app, visitor, run.id) };
        }),
      ),
    );
    expect(app.logLines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
    expect(runs).toHaveLength(people * runsEach);
    for (const { visitor, threadId, run, events } of runs) {
      expect(textOf(events)).toBe(benchText(tokens));
      expect(numbersOf(events)).toEqual(upTo(events.length));
      expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
      expect(await messageOf(visitor, threadId, run.messageId)).toMatchObject({
        state: 'complete',
        text: benchText(tokens),
        usage: { outputTokens: tokens, estimated: false },
      });
    }
  });
});
