import type { Run } from '@roster/contracts/chat';
import type { FastifyBaseLogger } from 'fastify';
import type { Actor } from '#server/http/actor';
import type { EventStream } from '#server/http/event-stream';
import { framesAfter } from './event-log.ts';
import type { EventRepository } from './event-repository.ts';
import type { LiveRuns } from './live-run.ts';
import { replay } from './replay.ts';
import type { RunRepository } from './repository.ts';

const lookEveryMs = 1_000;

type Dependencies = {
  runs: Pick<RunRepository, 'find' | 'finished'>;
  events: Pick<EventRepository, 'after'>;
  log: FastifyBaseLogger;
  live: LiveRuns;
};

/**
 * How readers follow runs: from memory where they are live here, through the database where another process executes
 * them, told by signals and looking by themselves now and then.
 */
export function runWatching({ runs, events, log, live }: Dependencies) {
  const lookers = new Map<number, Set<() => void>>();

  async function watchElsewhere(userId: number, runId: number, after: number, stream: EventStream) {
    let seen = after;

    const look = oneAtATime(async () => {
      for (const batch of await events.after(runId, seen)) {
        stream.write(framesAfter(batch.frames, seen));
        seen = batch.last;
      }
      const run = await runs.find(userId, runId);
      if (run?.state === 'queued' || run?.state === 'running') return;
      // Ended, or deleted with its conversation: nothing more will come.
      stream.write((await replay(runs, { userId, runId, after: seen })) ?? '');
      stream.end();
    });
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
    /** Writes what comes after event `after`, and all that follows. */
    async watch(actor: Pick<Actor, 'userId'>, run: Run, after: number, stream: EventStream): Promise<void> {
      const here = live.get(run.id);
      if (here) return here.watch(stream, after);
      const finished = await replay(runs, { userId: actor.userId, runId: run.id, after });
      if (finished === undefined) return watchElsewhere(actor.userId, run.id, after, stream);
      stream.write(finished);
      stream.end();
    },
    /** There are new events of these runs. */
    told(runIds: number[]) {
      for (const id of runIds) for (const look of lookers.get(id) ?? []) look();
    },
  };
}

/** Asked for while it is done, `work` is done once more afterwards. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let busy = false;
  let again = false;
  return async () => {
    again = busy;
    if (busy) return;
    busy = true;
    do {
      again = false;
      await work();
    } while (again);
    busy = false;
  };
}
