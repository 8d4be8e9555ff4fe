import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { compressResponses } from './compression.ts';

const long = { text: 'a word and another '.repeat(100) };
const larger = { text: 'a word and another '.repeat(10_000) };

function server() {
  const app = Fastify();
  compressResponses(app);
  app.get('/long', async () => long);
  app.get('/larger', async () => larger);
  app.get('/short', async () => ({ text: 'short' }));
  app.get('/page', (_request, reply) => reply.type('text/html; charset=utf-8').send(`<p>${long.text}</p>`));
  app.get('/plain', (_request, reply) => reply.type('text/plain').send(long.text));
  app.post('/long', async () => long);
  return app;
}

const ask = (url: string, encoding: string, method: 'GET' | 'POST' = 'GET') =>
  server().inject({ method, url, headers: { 'accept-encoding': encoding } });

describe('what is read is compressed', () => {
  test.each(['/long', '/larger'])('%s with brotli where that is taken', async (url) => {
    const answer = await ask(url, 'gzip, deflate, br');
    expect(answer.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(JSON.parse(brotliDecompressSync(answer.rawPayload).toString())).toEqual(url === '/long' ? long : larger);
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
  });

  test.each(['gzip', 'GZIP;q=0.5', 'br;q=0, gzip'])('with gzip for “%s”', async (encoding) => {
    const answer = await ask('/page', encoding);
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answer.rawPayload).toString()).toBe(`<p>${long.text}</p>`);
  });

  test.each([
    ['not for who takes none', '/long', 'identity', 'GET'],
    ['not for who refuses', '/long', 'br;q=0, gzip;q=0.0', 'GET'],
    ['not what is short', '/short', 'br', 'GET'],
    ['not of another kind', '/plain', 'br', 'GET'],
    ['not what a change answers, which may be a new secret', '/long', 'br', 'POST'],
  ] as const)('%s', async (_name, url, encoding, method) => {
    expect((await ask(url, encoding, method)).headers).not.toHaveProperty('content-encoding');
  });
});
