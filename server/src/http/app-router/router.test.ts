import { endpoint } from '@roster/contracts/endpoint';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { handleErrors } from '#server/http/error-handler';
import { createRateLimits } from '#server/http/limits/rate-limits';
import { createRouter } from './router.ts';

function routerOn(app = Fastify(), checkResponses = true) {
  handleErrors(app);
  const rates = createRateLimits({ scale: 1 });
  const actor = { userId: 1, role: 'Editor', sessionId: 's' } as const;
  const router = createRouter({
    app,
    rates,
    checkResponses,
    openResponses: { endWithSession: () => undefined },
    sessionToken: ({ headers }) => headers.authorization,
    findActor: async () => actor,
    lockActor: async () => actor.role,
  });
  return { app, ...router };
}

const described = {
  method: 'GET',
  path: '/api/thing',
  summary: 'A thing.',
  output: z.object({ a: z.string() }),
} as const;
const signedIn = { url: '/api/thing', headers: { authorization: 'token' } };

test('a route that does not say who may call it keeps the server from starting', () => {
  const { app } = routerOn();
  expect(() => app.get('/api/open', () => 'all')).toThrow('/api/open does not declare who may call it');
});

test('a public call cannot be registered as one of a signed-in person', () => {
  const { route } = routerOn();
  const open = endpoint({ ...described, access: 'public' });
  expect(() => route(open, async () => ({ a: '' }))).toThrow('/api/thing is public');
});

test('fields that the contract does not name never leave', async () => {
  const { app, route } = routerOn(Fastify(), false);
  const row = { a: 'shown', password_hash: 'hidden' };
  route(endpoint({ ...described, access: 'user' }), async () => row);
  expect((await app.inject(signedIn)).json()).toEqual({ a: 'shown' });
});

test('an answer that breaks its contract is our failure, not the caller’s', async () => {
  const { app, publicRoute } = routerOn();
  const lie: unknown = { a: 1 };
  const open = endpoint({ ...described, access: 'public', output: z.any().refine((value) => value.a !== 1) });
  publicRoute(open, async () => lie);
  expect((await app.inject('/api/thing')).statusCode).toBe(500);
});

test('only administrators reach what is theirs', async () => {
  const { app, route } = routerOn();
  route(endpoint({ ...described, access: 'admin' }), async () => ({ a: '' }));
  const { statusCode, body } = await app.inject(signedIn);
  expect([statusCode, JSON.parse(body).message]).toEqual([403, 'Only administrators can do this.']);
});
