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

describe('compression of responses', () => {
  test.each(['/long', '/larger'])('compresses %s with brotli if accepted', async (url) => {
    const answer = await ask(url, 'gzip, deflate, br');
    expect(answer.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(JSON.parse(brotliDecompressSync(answer.rawPayload).toString())).toEqual(url === '/long' ? long : larger);
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
  });

  test.each(['gzip', 'GZIP;q=0.5', 'br;q=0, gzip'])('compresses with gzip for “%s”', async (encoding) => {
    const answer = await ask('/page', encoding);
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answer.rawPayload).toString()).toBe(`<p>${long.text}</p>`);
  });

  test.each([
    ['skips clients that accept no coding', '/long', 'identity', 'GET'],
    ['skips clients that exclude the codings', '/long', 'br;q=0, gzip;q=0.0', 'GET'],
    ['skips short responses', '/short', 'br', 'GET'],
    ['skips other content types', '/plain', 'br', 'GET'],
    ['skips responses to changes, which may contain a new secret', '/long', 'br', 'POST'],
  ] as const)('%s', async (_name, url, encoding, method) => {
    expect((await ask(url, encoding, method)).headers).not.toHaveProperty('content-encoding');
  });
});
