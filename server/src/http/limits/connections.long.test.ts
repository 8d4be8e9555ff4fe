import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bearer, newToken } from '#server/testing/access-tokens';
import { startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import { boundary, cookieOf, formType, ownForm, upload, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { attack, type Outcome } from '#server/testing/raw-client';
import { until } from '#server/testing/until';
import { defaultTimeouts } from './connections.ts';

/** Short, yet longer than a busy machine keeps a process waiting, so that well-behaved clients are not cut off. */
const times = { headersMs: 1_500, checkEveryMs: 50, jsonMs: 1_500, uploadIdleMs: 1_500, stalledMs: 3_000 };
/** Allows for the work of all these connections at once. */
const spareMs = 1_000;

let app: TestApp;
let ada: HttpClient;
beforeAll(async () => {
  app = await startApp('sqlite', { connectionTimes: times, simulator: { tokenDelayMs: 100 } });
  ada = await app.as('ada');
});
afterAll(() => app.stop());

const request = (path: string, headers: Record<string, string>, body = '') =>
  `POST ${path} HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\n${Object.entries({
    'sec-fetch-site': 'same-origin',
    ...headers,
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
const fileBegins = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;

function expectAnswer({ answer }: Outcome, status: number, message: RegExp | string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head.toLowerCase()).toContain('connection: close');
  // The whole body has arrived: truncated JSON would not parse.
  const parsed = JSON.parse(body);
  expect(parsed.error?.message ?? parsed.message).toMatch(message);
}
const expectDestroyedAtOnce = ({ answeredMs = Number.NaN, destroyedMs }: Outcome) =>
  expect(destroyedMs - answeredMs).toBeLessThan(1_000 + spareMs);

test('uses the documented time limits', () => {
  expect(defaultTimeouts).toMatchObject({ headersMs: 10_000, jsonMs: 30_000, uploadIdleMs: 30_000 });
  expect(defaultTimeouts.checkEveryMs).toBeLessThanOrEqual(1_000);
});

describe.concurrent('closed connections', () => {
  const trickling = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: ';
  test.each([
    ['on which nothing comes', () => ({ head: '' })],
    ['whose headers stop', () => ({ head: trickling })],
    ['whose headers come letter by letter', () => ({ head: trickling, trickle: 'x' })],
    [
      'whose JSON stops',
      () => ({ head: request('/api/login', { 'content-type': 'application/json', 'content-length': '50' }, '{') }),
    ],
    [
      'whose JSON comes letter by letter',
      () => ({
        head: request('/api/login', { 'content-type': 'application/json', 'content-length': '5000' }),
        trickle: ' ',
      }),
    ],
    [
      'whose JSON comes in pieces of no end',
      () => ({
        head: request('/api/login', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }),
        trickle: '1\r\n \r\n',
      }),
    ],
    [
      'whose body nobody reads',
      () => ({
        head: request('/api/nowhere', { 'content-type': 'application/json', 'content-length': '5000' }),
        trickle: ' ',
      }),
    ],
  ])('%s', async (_what, wanted) => {
    const outcome = await attack(app, wanted());
    expect(outcome.answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expectDestroyedAtOnce(outcome);
    expect(outcome.answeredMs).toBeLessThan(times.jsonMs + times.checkEveryMs + spareMs);
  });

  test('closes one that does not speak HTTP, however long it sends', async () => {
    const outcome = await attack(app, { head: '\x16\x03\x01\x02\0\x01', trickle: 'garbage\r\n\r\n' });
    expectAnswer(outcome, 400, /not valid HTTP/);
    expect(outcome.destroyedMs).toBeLessThan(1_000 + spareMs);
  });

  test('closes one that sends requests and reads nothing', async () => {
    // More than the kernel buffers for a reader.
    const content = Buffer.alloc(20_000_000);
    // On a busy machine an upload may pause for longer than this application allows.
    const { id } = await until('The upload', () => uploaded(app, ada, { content }).catch(() => undefined));
    const head = `GET /api/files/${id}/content HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\ncookie: ${cookieOf(ada)}\r\n\r\n`;
    // Later bytes reach nobody; on a busy machine, those sent after the same time again, or once more.
    const deafMs = times.stalledMs * 2;
    const { destroyedMs } = await attack(app, { head, trickle: '\r\n', deafMs });
    expect(destroyedMs).toBeLessThan(4 * deafMs);
  });

  test('closes one that pipelines many requests without waiting for answers', async () => {
    const head = `GET /api/openapi.json HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\n\r\n`.repeat(500);
    const { answer, destroyedMs } = await attack(app, { head, trickle: '\r\n' });
    expect(answer.split('HTTP/1.1 200').length - 1).toBeLessThanOrEqual(8);
    expect(destroyedMs).toBeLessThan(1_000 + spareMs);
  });

  test('closes one in the middle of a response without starting another', async () => {
    const hopper = await app.withKey('hopper');
    const { body: thread } = await hopper.post('/api/threads', { title: 'Streams' });
    const draft = { message: 'Hello', clientId: 'a1b2c3d4' };
    const { body } = await hopper.post(`/api/threads/${thread.id}/messages`, draft);
    const head = `GET /api/runs/${body.run.id}/events HTTP/1.1\r\nhost: ${new URL(app.url).host}\r\ncookie: ${cookieOf(hopper)}\r\n\r\n`;
    const { answer } = await attack(app, { head });
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*event-stream/s);
    expect(answer.split('HTTP/1.1')).toHaveLength(2);
    await hopper.post(`/api/runs/${body.run.id}/stop`);
  });
});

describe('uploads', () => {
  const started = (visitor: HttpClient, length = 5_000_000) =>
    request('/api/files/upload', { ...ownForm(visitor), 'content-length': String(length) }, fileBegins);

  const inProgress = () => withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').execute());

  test('free their slot when they stop', async () => {
    const grace = await app.as('grace');
    const outcomes = Promise.all([attack(app, { head: started(grace) }), attack(app, { head: started(grace) })]);
    for (const outcome of await outcomes) {
      expectAnswer(outcome, 400, /did not arrive in time/);
      expectDestroyedAtOnce(outcome);
    }
    await expect.poll(inProgress).toEqual([]);
    const { token } = await newToken(grace);
    const client = { ...bearer(token), 'content-type': formType, 'content-length': '5000000' };
    expectAnswer(await attack(app, { head: request('/v1/files', client, fileBegins) }), 400, /did not arrive in time/);
    await expect.poll(inProgress).toEqual([]);
    // Two at once are the limit for one user.
    for (const _ of [1, 2]) expect((await upload(app, grace)).status).toBe(201);
  });

  test('accept a slow sender', async () => {
    const patient = await startApp('sqlite', { connectionTimes: { uploadIdleMs: 5_000 } });
    onTestFinished(() => patient.stop());
    const slow = await patient.as('slow');
    const [host, its] = [app, patient].map(({ url }) => new URL(url).host);
    const letters = 150;
    const head = started(slow, fileBegins.length + letters).replace(`host: ${host}`, `host: ${its}`);
    const from = performance.now();
    const { answer } = await attack(patient, { head, trickle: 'x', trickles: letters });
    // One byte every 40 ms is more than nothing in five seconds; the body was read to its end, which is not the end of
    // a form.
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*The upload was incomplete/s);
    expect(performance.now() - from).toBeGreaterThan(5_000);
  });

  async function viewer() {
    const vera = await app.as('vera');
    await setUser(app, 'vera@example.com', { role: 'Viewer' });
    return vera;
  }
  const length = { 'content-length': '5000000' };
  const refusals: [number, string, () => Promise<string> | string][] = [
    [401, 'of nobody', () => request('/api/files/upload', { 'content-type': formType, ...length }, fileBegins)],
    [
      403,
      'of another site',
      () => request('/api/files/upload', { ...ownForm(ada), ...length, 'sec-fetch-site': 'cross-site' }),
    ],
    [403, 'of a Viewer', async () => started(await viewer())],
    [401, 'without a client', () => request('/v1/files', { 'content-type': formType, ...length }, fileBegins)],
    [
      413,
      'of a client that is too large',
      async () => {
        const { token } = await newToken(await app.as('prog'));
        const headers = { ...bearer(token), 'content-type': formType, 'content-length': '90000000' };
        return request('/v1/files', headers, fileBegins);
      },
    ],
    [413, 'that is too large', () => started(ada, 90_000_000)],
    [
      415,
      'of another kind',
      () => request('/api/files/upload', { ...ownForm(ada), ...length, 'content-type': 'text/plain' }),
    ],
    [
      400,
      'without a boundary',
      async () =>
        request('/api/files/upload', {
          ...ownForm(await app.as('bob')),
          ...length,
          'content-type': 'multipart/form-data',
        }),
    ],
    [404, 'to nowhere', () => request('/api/files/nowhere', { ...ownForm(ada), ...length })],
    [
      415,
      'under an expectation',
      () => request('/api/login', { ...length, expect: 'nonsense', 'content-type': 'text/plain' }),
    ],
  ];

  test.concurrent.each(refusals)(
    'reject with %i %s and close the connection within a second',
    async (status, _who, head) => {
      const outcome = await attack(app, { head: await head(), trickle: 'x' });
      expectAnswer(outcome, status, /\w/);
      expectDestroyedAtOnce(outcome);
    },
  );

  test('reject with 429 beside two others and close the connection within a second', async () => {
    const hal = await app.as('hal');
    const slow = { head: started(hal, fileBegins.length + 50), trickle: 'x' };
    const others = [attack(app, slow), attack(app, slow)];
    await expect.poll(async () => (await inProgress()).length).toBe(2);
    const outcome = await attack(app, { head: started(hal), trickle: 'x' });
    expectAnswer(outcome, 429, /Two files/);
    expectDestroyedAtOnce(outcome);
    await Promise.all(others);
  });

  test('let a rejected sender that keeps sending read the reason', async () => {
    const head = Buffer.concat([Buffer.from(started(app.visitor(), 20_000_000)), Buffer.alloc(20_000_000, 'x')]);
    const outcome = await attack(app, { head });
    expectAnswer(outcome, 401, 'Please sign in.');
  });
});
