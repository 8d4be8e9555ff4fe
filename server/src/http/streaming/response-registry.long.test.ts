import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { cookieOf, someBytes, uploaded } from '#server/testing/files';
import { createTrainedJob, quick } from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

/** More than the kernel buffers for a reader. */
const large = 16_000_000;
const email = 'ada@example.com';
const chosen = 'a much better sentence';

describe.each(engines)('running downloads on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let paths: string[];
  beforeAll(async () => {
    app = await startApp(engine, quick);
    await app.as('first');
    ada = await app.withKey('ada');
    const { id } = await uploaded(app, ada, { content: someBytes(large) });
    const job = await createTrainedJob(app, ada);
    paths = [`/api/files/${id}/content`, '/api/user/export', `/api/fine-tuning/jobs/${job.id}/result`];
  });
  afterAll(() => app.stop());

  /** A file's content, the archive of all data, and a job's result file; none is read to its end. */
  async function started() {
    const elsewhere = app.visitor();
    expect((await elsewhere.post('/api/login', { email, password })).status).toBe(200);
    const result = { status: 200, body: `step,train_loss\n${'1,0.5\n'.repeat(large / 6)}` };
    return withFault(app, result, { path: '/files/*', method: 'GET' }, () =>
      Promise.all(
        paths.map(async (path) => {
          const { statusCode, body } = await request(`${app.url}${path}`, { headers: { cookie: cookieOf(elsewhere) } });
          expect(statusCode).toBe(200);
          return body;
        }),
      ),
    );
  }
  /** Reads so slowly that the whole would take more than five seconds. */
  async function isCut(body: Awaited<ReturnType<typeof started>>[number]): Promise<boolean> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      while (!(await pieces.next()).done) await sleep(200);
    } catch {
      // A cut connection surfaces as an error.
    }
    return body.readableAborted;
  }

  test.each<[string, () => Promise<unknown>]>([
    ['is revoked', () => ada.delete('/api/user/sessions')],
    ['ends with the account made inactive', () => setUser(app, email, { status: 'Inactive' })],
    [
      'ends by another password',
      () => ada.post('/api/user/password', { currentPassword: password, newPassword: chosen }),
    ],
  ])('are cut within five seconds when their session %s', async (_how, end) => {
    await setUser(app, email, { status: 'Active' });
    const bodies = await started();
    await end();
    expect(await Promise.all(bodies.map(isCut))).toEqual([true, true, true]);
  });
});
