import type { FastifyBaseLogger } from 'fastify';
import { RunStoppedError, ShutdownError } from './live-run.ts';
import type { PreparedRequest, RunSpec } from './run-spec.ts';

/** Work after a complete answer, such as a title; the run has ended by then. */
export type OnComplete = (spec: RunSpec, request: PreparedRequest['request'], signal: AbortSignal) => Promise<void>;

/** Runs the work after complete answers, until it is done or aborted. */
export function followUpWork(onComplete: OnComplete, log: FastifyBaseLogger) {
  const inProgress = new Map<Promise<void>, { userId: number; controller: AbortController }>();
  const shutdown = new AbortController();

  return {
    start(spec: RunSpec, { request }: PreparedRequest) {
      const controller = new AbortController();
      const work = onComplete(spec, request, AbortSignal.any([shutdown.signal, controller.signal]))
        .catch((error: unknown) => log.error({ err: error, runId: spec.runId }, 'follow-up work of an answer failed'))
        .finally(() => inProgress.delete(work));
      inProgress.set(work, { userId: spec.userId, controller });
    },
    /** Aborts the work for one user. */
    async stopOf(userId: number) {
      const own = [...inProgress].filter(([, { userId: owner }]) => owner === userId);
      for (const [, { controller }] of own) controller.abort(new RunStoppedError());
      await Promise.all(own.map(([work]) => work));
    },
    /** Aborts all work at shutdown. */
    async close() {
      shutdown.abort(new ShutdownError());
      await Promise.all(inProgress.keys());
    },
  };
}

export type FollowUpWork = ReturnType<typeof followUpWork>;
