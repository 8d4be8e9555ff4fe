import type { AddressInfo } from 'node:net';
import type { Role } from '@roster/contracts/auth';
import Fastify from 'fastify';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createEventStreams, type EventStream } from './event-stream.ts';
import { createOpenResponses } from './open-responses.ts';

/** A server with nothing but streams; the address names the session that asks. */
async function streamsServer(liveSessions: (ids: string[]) => Promise<Map<string, Role>>) {
  const app = Fastify({ forceCloseConnections: true });
  const problems: unknown[] = [];
  const responses = createOpenResponses(liveSessions, (problem) => problems.push(problem));
  const streams = createEventStreams(responses);
  const opened: EventStream[] = [];
  app.get<{ Params: { session: string } }>('/:session', async (call, reply) => {
    const sessionId = call.params.session;
    opened.push(streams.open(call, reply, { userId: 1, role: 'Editor', sessionId }));
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

test('a stream that is opened while the sessions are checked is not taken for one whose session has ended', async () => {
  const asked = Promise.withResolvers<string[]>();
  const answer = Promise.withResolvers<Map<string, Role>>();
  const { open } = await streamsServer((ids) => {
    asked.resolve(ids);
    return answer.promise;
  });
  const ended = await open('ended');
  const kept = await open('kept');
  expect(await asked.promise).toEqual(['ended', 'kept']);
  const late = await open('late');
  answer.resolve(new Map([['kept', 'Editor']]));
  await expect.poll(() => ended.hasEnded).toBe(true);
  for (const { stream } of [kept, late]) stream?.write('data: still here\n\n');
  await expect.poll(() => kept.text).toContain('still here');
  await expect.poll(() => late.text).toContain('still here');
  expect([kept.hasEnded, late.hasEnded]).toEqual([false, false]);
});

test('a check of the sessions that fails ends no stream and is reported', async () => {
  const { open, problems } = await streamsServer(() => Promise.reject(new Error('The database is away')));
  const reader = await open('anyone');
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  reader.stream?.write('data: on\n\n');
  await expect.poll(() => reader.text).toContain('on');
  expect(reader.hasEnded).toBe(false);
});
