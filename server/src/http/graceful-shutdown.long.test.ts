import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { until } from '#server/testing/until';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite', {
    env: { TRUST_PROXY: '1' },
    connectionTimes: { noticedMs: 3_000, endingMs: 60_000 },
  });
});
afterAll(() => app.stop());

/** A separate connection and what it has received. */
async function connection(): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1' });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, text: () => text };
}

/** The head of a request whose body follows: the server sends 100 Continue once it has the head. */
const headOf = ({ cookies }: HttpClient, body: string) =>
  [
    'POST /api/assistants HTTP/1.1',
    `Host: ${new URL(app.url).host}`,
    `Origin: ${app.url}`,
    'Sec-Fetch-Site: same-origin',
    `Cookie: ${[...cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n');

test('lets the proxy see a shutdown before anything is refused, and cuts off no running request', async () => {
  const ada = await app.withKey('ada');
  const body = JSON.stringify({ name: 'Kept', model: 'gpt-4o', instructions: 'Be brief.' });
  const { socket, text } = await connection();
  socket.write(headOf(ada, body));
  await until('The request for its body', async () => text().includes('100 Continue'));

  const halted = app.halt();
  expect((await ada.get('/readyz')).body).toMatchObject({ parts: { server: 'stopping' } });
  expect((await ada.post('/api/threads', { model: 'gpt-4o' })).status).toBe(201);
  await until('The end of new connections', () =>
    connection().then(
      () => false,
      () => true,
    ),
  );
  expect(text()).not.toContain('201');

  socket.write(body);
  await until('The answer', async () => text().includes('201 Created'));
  expect(text().toLowerCase()).toContain('connection: close');
  await halted;
  await app.startWith({});
  expect((await ada.get('/api/assistants')).body).toMatchObject([{ name: 'Kept' }]);
});
