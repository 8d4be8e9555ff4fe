import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FullApiRun as StoredRun, ApiRuns as StoredRuns } from '#server/features/chat/api-threads/runs';
import type { ApiRunPart as StoredRunPart } from '#server/features/chat/shared/api-run-repository';
import type { Ids } from '#server/features/public-api/shared/ids';
import { toClientError } from '#server/http/error-handler';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { apiError } from '#server/http/public-api/errors';
import { createStream, sendEventHeaders } from '#server/http/streaming/event-stream';
import { createRunEventWriter, doneFrame, type EndedRun, frame } from './run-events.ts';

const heartbeatMs = 15_000;

type Dependencies = {
  openCalls: CallRegistry;
  watch: StoredRuns['watch'];
  /** The run as stored after its end. */
  endedRun: (userId: number, run: StoredRun, part: StoredRunPart) => Promise<EndedRun>;
};

type StreamContext = { caller: ApiPrincipal; request: FastifyRequest; reply: FastifyReply };
type StreamedRun = {
  run: StoredRun;
  part: StoredRunPart;
  ids: Ids;
  withTexts: boolean;
  /** Frames sent before the run's own events. */
  before: (events: ReturnType<typeof createRunEventWriter>) => string;
};

/**
 * Follows a run for a client, as the pages do. The run belongs to the server: a client that disconnects, or whose token
 * ends, ends the stream but not the run.
 */
export function createRunStream({ openCalls, watch, endedRun }: Dependencies) {
  return {
    /** Call before anything is stored: a client with too many open calls is refused. */
    begin: (caller: ApiPrincipal) => openCalls.begin(caller),

    async follow(
      { caller: { userId }, request, reply }: StreamContext,
      { controller: { signal }, done }: ReturnType<CallRegistry['begin']>,
      { run, part, ids, withTexts, before }: StreamedRun,
    ): Promise<void> {
      sendEventHeaders(request, reply);
      const heartbeat = setInterval(() => out.write(': still here\n\n'), heartbeatMs).unref();
      const closing = new Set<() => void>();
      const out = createStream(reply.raw, () => {
        clearInterval(heartbeat);
        done();
        for (const listener of closing) listener();
      });
      const events = createRunEventWriter(run, part, ids, withTexts);
      let isOver = false;

      function breakOff(error: unknown) {
        if (isOver) return;
        isOver = true;
        const { body } = apiError(toClientError(error, request, reply));
        out.write(frame('error', body.error));
        out.end();
      }
      async function finish() {
        isOver = true;
        try {
          out.write(events.end(await endedRun(userId, run, part)));
          out.end();
        } catch (error) {
          isOver = false;
          breakOff(error);
        }
      }

      if (signal.aborted) return breakOff(signal.reason);
      signal.addEventListener('abort', () => breakOff(signal.reason), { once: true });
      out.write(before(events));
      await watch(userId, part.id, {
        tell(written) {
          if (isOver) return;
          out.write(events.of(written));
          if (written.some(({ type }) => type === 'finished' || type === 'failed')) void finish();
        },
        // Without a final event if the conversation was deleted meanwhile.
        end() {
          if (isOver) return;
          isOver = true;
          out.write(doneFrame);
          out.end();
        },
        onClose: (listener) => closing.add(listener),
      });
    },
  };
}

export type RunStream = ReturnType<typeof createRunStream>;
