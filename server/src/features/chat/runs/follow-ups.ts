import type { FastifyBaseLogger } from 'fastify';
import { type PreparedRequest, type RunOrder, ShuttingDown, Stopped } from './live-run.ts';

/** Work after a complete answer, such as a title; the run itself has ended by then. */
export type OnComplete = (order: RunOrder, request: PreparedRequest['request'], signal: AbortSignal) => Promise<void>;

/** Runs the work after complete answers, until it is done or aborted. */
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
    /** Aborts the work after a user's answers. */
    async stopOf(userId: number) {
      const own = [...underWay].filter(([, { userId: owner }]) => owner === userId);
      for (const [, { controller }] of own) controller.abort(new Stopped());
      await Promise.all(own.map(([work]) => work));
    },
    /** Aborts it for all users, because the server stops. */
    async close() {
      shutdown.abort(new ShuttingDown());
      await Promise.all(underWay.keys());
    },
  };
}

export type FollowUpWork = ReturnType<typeof followUpWork>;
