import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Role } from '@roster/contracts/auth';
import Fastify from 'fastify';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createEventStreams, createWriter, type EventStream } from './event-stream.ts';
import { createResponseRegistry } from './response-registry.ts';

/** A server with nothing but streams; the URL names the session. */
async function streamsServer(liveSessions: (ids: string[]) => Promise<Map<string, Role>>) {
  const app = Fastify({ forceCloseConnections: true });
  const problems: unknown[] = [];
  const responses = createResponseRegistry(liveSessions, (problem) => problems.push(problem));
  const streams = createEventStreams(responses);
  const opened: EventStream[] = [];
  app.get<{ Params: { session: string } }>('/:session', async (call, reply) => {
    const sessionId = call.params.session;
    opened.push(
      streams.open(call, reply, { userId: 1, role: 'Editor', sessionId, provenAt: new Date().toISOString() }),
    );
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    streams.close();
    responses.close();
    await app.close();
  });
  const { port }: AddressInfo | { port: number } = Object(app.server.address());
  async function open(session: string) {
    const { body } = await request(`http://127.0.0.1:${port}/${session}`);
    let text = '';
    let hasEnded = false;
    body.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    body.on('end', () => {
      hasEnded = true;
    });
    return {
      get text() {
        return text;
      },
      get hasEnded() {
        return hasEnded;
      },
      stream: opened.at(-1),
    };
  }
  return { open, problems };
}

test('does not end a stream that opens while sessions are being checked', async () => {
  const firstIds = Promise.withResolvers<string[]>();
  const answer = Promise.withResolvers<Map<string, Role>>();
  const { open } = await streamsServer((ids) => {
    firstIds.resolve(ids);
    return answer.promise;
  });
  const ended = await open('ended');
  const kept = await open('kept');
  expect(await firstIds.promise).toEqual(['ended', 'kept']);
  const late = await open('late');
  answer.resolve(new Map([['kept', 'Editor']]));
  await expect.poll(() => ended.hasEnded).toBe(true);
  for (const { stream } of [kept, late]) stream?.write('data: still here\n\n');
  await expect.poll(() => kept.text).toContain('still here');
  await expect.poll(() => late.text).toContain('still here');
  expect([kept.hasEnded, late.hasEnded]).toEqual([false, false]);
});

test('ends no stream and reports it when a check of the sessions fails', async () => {
  const { open, problems } = await streamsServer(() => Promise.reject(new Error('The database is unavailable')));
  const reader = await open('anyone');
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  reader.stream?.write('data: on\n\n');
  await expect.poll(() => reader.text).toContain('on');
  expect(reader.hasEnded).toBe(false);
});

const pieces = 300;
const piece = (number: number) => Buffer.alloc(100_000, `piece ${number} ä `);

test.each(['1.0', '1.1'])('waits over HTTP/%s for a slow reader, and delivers everything', async (version) => {
  let made = 0;
  const source = Readable.from(
    (function* () {
      while (made < pieces) yield piece(made++);
    })(),
  );
  const server = createServer((_request, response) => {
    response.flushHeaders();
    const { write, release } = createWriter(source, response);
    source.on('data', write);
    source.on('end', () => {
      release();
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port }: AddressInfo | { port: number } = Object(server.address());
  const reader = connect({ port, host: '127.0.0.1' });
  reader.write(`GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await expect.poll(() => source.isPaused()).toBe(true);
  expect(made).toBeLessThan(pieces);
  const answer = await buffer(reader);
  const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
  expect(withoutFrames(body, version).equals(Buffer.concat(Array.from({ length: pieces }, (_, at) => piece(at))))).toBe(
    true,
  );
});

/** The chunks' content without their length lines. */
function withoutFrames(body: Buffer, version: string): Buffer {
  if (version === '1.0') return body;
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const begin = body.indexOf('\r\n', at) + 2;
    const length = Number.parseInt(body.toString('latin1', at, begin), 16);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(begin, begin + length));
    at = begin + length + 2;
  }
}
