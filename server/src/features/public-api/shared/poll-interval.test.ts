import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { withPollInterval } from './poll-interval.ts';

test.each([
  [300, '500'],
  [150, '1000'],
  [60, '2500'],
  [30, '5000'],
  [0, '5000'],
])('lets a client with %i of 300 calls left poll again after %s ms', async (remaining, ms) => {
  const app = fastify();
  app.get('/', (_, reply) => {
    reply.headers({ 'x-ratelimit-limit-requests': 300, 'x-ratelimit-remaining-requests': remaining });
    return withPollInterval(reply, { status: 'queued' });
  });
  expect((await app.inject('/')).headers['openai-poll-after-ms']).toBe(ms);
});
