import type { FastifyBaseLogger } from 'fastify';
import type { EventStream } from '../../../http/event-stream.ts';
import type { RunEndings } from './end.ts';
import type { RunRepository } from './repository.ts';

const lookEveryMs = 1_000;

type Dependencies = { runs: RunRepository; endings: RunEndings; log: FastifyBaseLogger };

/** Follows runs of other processes through the database: told by signals, and looking by itself now and then. */
export function followElsewhere({ runs, endings, log }: Dependencies) {
  const lookers = new Map<number, Set<() => void>>();

  async function watch(userId: number, runId: number, after: number, stream: EventStream): Promise<void> {
    let seen = after;
    let busy = false;
    let again = false;

    async function lookOnce() {
      for (const batch of await runs.eventsAfter(runId, seen)) {
        stream.write(endings.framesAfter(batch.frames, seen));
        seen = batch.last;
      }
      const run = await runs.find(userId, runId);
      if (run?.state === 'queued' || run?.state === 'running') return;
      // Ended, or deleted with its conversation: nothing more will come.
      stream.write((await endings.replay(userId, runId, seen)) ?? '');
      stream.end();
    }
    async function look() {
      again = busy;
      if (busy) return;
      busy = true;
      do {
        again = false;
        await lookOnce();
      } while (again);
      busy = false;
    }
    const lookSafely = () =>
      void look().catch((error: unknown) => {
        log.error({ err: error, runId }, 'following a run failed');
        stream.end();
      });

    const others = lookers.get(runId) ?? new Set();
    lookers.set(runId, others.add(lookSafely));
    const timer = setInterval(lookSafely, lookEveryMs);
    stream.onClose(() => {
      clearInterval(timer);
      others.delete(lookSafely);
      if (others.size === 0) lookers.delete(runId);
    });
    await look();
  }

  return {
    watch,
    /** There are new events of these runs. */
    told(runIds: number[]) {
      for (const id of runIds) for (const look of lookers.get(id) ?? []) look();
    },
  };
}
