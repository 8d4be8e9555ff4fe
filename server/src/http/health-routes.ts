import { errorStatus } from '@roster/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, restartingError } from '#server/lib/errors';
import { errorBody, toClientError } from './error-handler.ts';

export type Phase = 'starting' | 'ready' | 'stopping';

/** Services that the server cannot work without. Each returns its state, or throws if it is unavailable. */
export type HealthChecks = Record<'database' | 'schema' | 'storage', () => Promise<string>>;

/** Liveness and readiness, for load balancers and monitoring. */
export function healthRoutes(app: FastifyInstance, state: { phase: Phase }, parts: HealthChecks) {
  // Load balancers call servers by IP address, or without a host name.
  const config = { access: 'operation', anyHost: true } as const;
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async (request, reply) => {
    if (state.phase !== 'ready') return missing(request, reply, notReady(state.phase), { server: state.phase });
    const { answers, failure } = await checkAll(parts);
    const all = { server: 'ready', ...answers };
    return failure === undefined ? { status: 'ready', parts: all } : missing(request, reply, failure.reason, all);
  });
}

const notReady = (phase: Phase) =>
  phase === 'stopping'
    ? restartingError()
    : new AppError('unavailable', 'Roster is starting. Please try again in a moment.', { retryAfterSeconds: 2 });

/** Checks all in parallel, each with its own timeout; the first failure in order is the reason. */
async function checkAll(parts: HealthChecks) {
  const checks = Object.entries(parts);
  const outcomes = await Promise.allSettled(checks.map(([, ask]) => ask()));
  const answers = Object.fromEntries(
    outcomes.map((outcome, index) => [checks[index]?.[0], outcome.status === 'fulfilled' ? outcome.value : 'missing']),
  );
  return { answers, failure: outcomes.find((outcome) => outcome.status === 'rejected') };
}

function missing(request: FastifyRequest, reply: FastifyReply, reason: unknown, parts: Record<string, string>) {
  const answer = toClientError(reason, request, reply);
  return reply.status(errorStatus[answer.code]).send({ ...errorBody(answer, request.id), parts });
}
