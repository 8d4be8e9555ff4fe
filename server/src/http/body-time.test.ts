import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitBodyTime } from './body-time.ts';

const app = Fastify();
let port: number;
beforeAll(async () => {
  // An upload comes in pieces 20 ms apart: that much longer a busy machine does not take between two.
  limitBodyTime(app, { jsonMs: 300, uploadIdleMs: 3_000, lookEveryMs: 20 });
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  app.post('/json', { config: { access: 'operation' } }, async ({ body }) => body);
  app.post('/upload', { config: { access: 'operation', accepts: 'multipart' } }, async ({ raw }) => {
    let size = 0;
    for await (const chunk of raw) size += chunk.length;
    return { size };
  });
  port = Number(new URL(await app.listen({ port: 0 })).port);
});
afterAll(() => app.close());

/** Sends the body in pieces, so many milliseconds apart; resolves with all that was answered. */
function trickled(path: string, type: string, pieces: string[], announced: number, everyMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('\r\n\r\n')) socket.end();
    });
    socket.on('error', () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: ${announced}\r\n\r\n`);
    const left = [...pieces];
    const timer = setInterval(() => {
      const piece = left.shift();
      if (piece !== undefined) socket.write(piece);
    }, everyMs);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

test('a JSON body that trickles in is refused', async () => {
  expect(await trickled('/json', 'application/json', Array(1_000).fill(' '), 5_000, 20)).toMatch(
    /^HTTP\/1\.1 400 .*did not arrive in time/s,
  );
});

test('an upload may trickle in for longer than that', async () => {
  expect(await trickled('/upload', 'multipart/form-data', Array(40).fill('x'), 40, 20)).toMatch(
    /^HTTP\/1\.1 200 .*\{"size":40\}/s,
  );
});

test('an upload that stops is refused', async () => {
  expect(await trickled('/upload', 'multipart/form-data', ['x'], 40, 20)).toMatch(
    /^HTTP\/1\.1 400 .*did not arrive in time/s,
  );
});
