import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/errors';

/** For load balancers and monitoring: alive, and ready to take work. */
export function operationRoutes(
  app: FastifyInstance,
  state: { ready: boolean },
  /** Each says what is missing by what it throws. */
  parts: readonly (() => Promise<unknown>)[],
) {
  // A load balancer calls each server by its address, or by no name at all.
  const config = { access: 'operation', anyHost: true } as const;
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async () => {
    if (!state.ready) throw new AppError('unavailable', 'Roster is starting or stopping.', { retryAfterSeconds: 2 });
    for (const answers of parts) await answers();
    return { status: 'ready' };
  });
}
