import type { FastifyInstance } from 'fastify';
import { settlesWithin } from '#server/lib/with-timeout';

/** Counts running requests so that a shutdown can wait for them. */
export function createGracefulShutdown(app: FastifyInstance) {
  const answering = new Set<object>();
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<void>();
  let isDraining = false;

  app.addHook('onRequest', async (_request, { raw }) => {
    answering.add(raw);
    raw.once('close', () => {
      answering.delete(raw);
      if (isDraining && answering.size === 0) end();
    });
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (isDraining) reply.header('connection', 'close');
    return payload;
  });

  /** Accepts no more connections, and waits for running requests. */
  return async function drain(withinMs: number) {
    isDraining = true;
    app.server.close();
    if (answering.size > 0) await settlesWithin(withinMs, hasEnded);
  };
}
