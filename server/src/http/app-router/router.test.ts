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
  const actor = { userId: 1, role: 'Editor', sessionId: 's', provenAt: new Date().toISOString() } as const;
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

test('does not start with a route that does not declare its access', () => {
  const { app } = routerOn();
  expect(() => app.get('/api/open', () => 'all')).toThrow('/api/open does not declare who may call it');
});

test('does not register a public call as one of a signed-in user', () => {
  const { route } = routerOn();
  const open = endpoint({ ...described, access: 'public' });
  expect(() => route(open, async () => ({ a: '' }))).toThrow('/api/thing is public');
});

test('never sends fields that the contract does not name', async () => {
  const { app, route } = routerOn(Fastify(), false);
  const row = { a: 'shown', password_hash: 'hidden' };
  route(endpoint({ ...described, access: 'user' }), async () => row);
  expect((await app.inject(signedIn)).json()).toEqual({ a: 'shown' });
});

test('reports a response that breaks its contract as a server failure', async () => {
  const { app, publicRoute } = routerOn();
  const lie: unknown = { a: 1 };
  const open = endpoint({ ...described, access: 'public', output: z.any().refine((value) => value.a !== 1) });
  publicRoute(open, async () => lie);
  expect((await app.inject('/api/thing')).statusCode).toBe(500);
});

test('lets only administrators reach administrators’ calls', async () => {
  const { app, route } = routerOn();
  route(endpoint({ ...described, access: 'admin' }), async () => ({ a: '' }));
  const { statusCode, body } = await app.inject(signedIn);
  expect([statusCode, JSON.parse(body).message]).toEqual([403, 'Only administrators can do this.']);
});
