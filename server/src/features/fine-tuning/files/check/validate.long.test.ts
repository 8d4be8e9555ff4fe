import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf, filePlaces, startFileApp, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { callInProgress, conversation } from '#server/testing/training-files';
import { whenAvailable } from '#server/testing/until';

describe.each(filePlaces)('the check of a large training file on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let ada: HttpClient;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    ada = await place.app.as('ada');
  });
  afterAll(() => place.stop());

  async function saved(examples: number) {
    const lines = Array.from({ length: examples }, (_, n) => conversation(`What is ${n}?`, `It is ${n}.`));
    const wanted = { filename: 'a.jsonl', content: lines.join('\n'), purpose: 'fine-tune' };
    return (await uploaded(place.app, ada, wanted)).id;
  }
  const check = (trainingFileId: number) => ada.post('/api/fine-tuning/validate', { trainingFileId });

  test('lets others through while it works, and one person have one check', async () => {
    const id = await saved(100_000);
    const bob = await place.app.as('bob');
    const [checking] = await callInProgress(() => check(id));
    let isDone = false;
    void checking?.finally(() => {
      isDone = true;
    });
    const isRefused = async () => {
      const { status, headers } = await check(id);
      return status === 429 && headers['retry-after'] === '5';
    };
    expect((await bob.get('/api/user')).status).toBe(200);
    // Answered between two moments at which the check went on.
    expect([await isRefused(), isDone]).toEqual([true, false]);
    const done = await checking;
    // On a busy machine the store may be given up in between.
    const { body } = done?.status === 200 ? done : await whenAvailable(() => check(id));
    expect(body.training.examples).toBe(100_000);
  });

  test('ends when the one who asked is gone, and is free for the next', async () => {
    const id = await saved(100_000);
    const leaving = new AbortController();
    const small = await saved(60);
    const [validation] = await callInProgress(async () => {
      const { statusCode } = await request(`${place.app.url}/api/fine-tuning/validate`, {
        method: 'POST',
        headers: { cookie: cookieOf(ada), 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        body: JSON.stringify({ trainingFileId: id }),
        signal: leaving.signal,
      });
      return { status: statusCode };
    });
    leaving.abort();
    await expect(validation).rejects.toThrow();
    // At once: who left a dialog and opened it again is not told to wait for themselves.
    const { status, body } = await check(small);
    expect([status, body.training?.examples]).toEqual([200, 60]);
  });
});
