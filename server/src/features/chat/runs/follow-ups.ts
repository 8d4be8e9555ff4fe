import type { FastifyBaseLogger } from 'fastify';
import { type PreparedRequest, type RunOrder, ShuttingDown, Stopped } from './live-run.ts';

/** What follows a complete answer; the run itself has ended by then. */
export type OnComplete = (order: RunOrder, request: PreparedRequest['request'], signal: AbortSignal) => Promise<void>;

/** What follows complete answers, until it is done or broken off. */
export function followUpWork(onComplete: OnComplete, log: FastifyBaseLogger) {
  const underWay = new Map<Promise<void>, { userId: number; controller: AbortController }>();
  const shutdown = new AbortController();

  return {
    begin(order: RunOrder, { request }: PreparedRequest) {
      const controller = new AbortController();
      const work = onComplete(order, request, AbortSignal.any([shutdown.signal, controller.signal]))
        .catch((error: unknown) => log.error({ err: error, runId: order.runId }, 'what follows an answer failed'))
        .finally(() => underWay.delete(work));
      underWay.set(work, { userId: order.userId, controller });
    },
    /** Breaks off what follows a person's answers. */
    async stopOf(userId: number) {
      const own = [...underWay].filter(([, { userId: owner }]) => owner === userId);
      for (const [, { controller }] of own) controller.abort(new Stopped());
      await Promise.all(own.map(([work]) => work));
    },
    /** The same of everybody's, because the server stops. */
    async close() {
      shutdown.abort(new ShuttingDown());
      await Promise.all(underWay.keys());
    },
  };
}

export type FollowUpWork = ReturnType<typeof followUpWork>;
