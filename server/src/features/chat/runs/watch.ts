import type { Run } from '@roster/contracts/chat';
import type { FastifyBaseLogger } from 'fastify';
import type { EventStream } from '#server/http/streaming/event-stream';
import { UnavailableError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { framesAfter, withoutHole } from './event-log.ts';
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
  const lookers = lookersOfRuns();
  async function watchElsewhere(userId: number, runId: number, after: number, stream: EventStream) {
    let seen = after;
    let isLeft = false;
    const following = eventsInTurn({ events, log }, runId);

    const look = oneAtATime(async () => {
      if (isLeft) return;
      const here = live.get(runId);
      if (here) {
        // It goes on here: what it has stored by then is in its memory, too.
        leave();
        return here.watch(stream, seen);
      }
      for (const batch of await following(seen)) {
        stream.write(framesAfter(batch.frames, seen));
        seen = batch.last;
      }
      const run = await runs.find(userId, runId);
      if (run?.state === 'queued' || run?.state === 'running' || run?.state === 'waiting') return;
      // Ended, or deleted with its conversation: nothing more will come.
      stream.write((await replay(runs, { userId, runId, after: seen })) ?? '');
      stream.end();
    });
    const failed = endedBy(log, runId, stream);
    const lookSafely = () => void look().catch(failed);

    const forget = lookers.add(runId, lookSafely);
    const timer = setInterval(lookSafely, lookEveryMs);
    function leave() {
      isLeft = true;
      clearInterval(timer);
      forget();
    }
    stream.onClose(leave);
    await look().catch(failed);
  }

  return {
    /** Writes what comes after event `after`, and all that follows. */
    async watch(actor: Pick<Actor, 'userId'>, run: Run, after: number, stream: EventStream): Promise<void> {
      const here = live.get(run.id);
      if (here) return here.watch(stream, after);
      const finished = await finishedOr(stream, () => replay(runs, { userId: actor.userId, runId: run.id, after }));
      if (finished === undefined) return watchElsewhere(actor.userId, run.id, after, stream);
      stream.write(finished);
      stream.end();
    },
    /** Those who have followed a run here, and seen its events up to `after`. */
    followElsewhere({ userId, runId }: { userId: number; runId: number }, after: number, streams: EventStream[]) {
      for (const stream of streams) void watchElsewhere(userId, runId, after, stream);
    },
    /** There are new events of these runs. */
    told: lookers.tell,
  };
}

/** What the reader of a run is spared while the database is away: it is looked again in a second, and then in another one. */
const endedBy = (log: FastifyBaseLogger, runId: number, stream: EventStream) => (error: unknown) => {
  if (error instanceof UnavailableError) return;
  log.error({ err: error, runId }, 'following a run failed');
  stream.end();
};

/** undefined: it has not ended, or nobody can say at the moment. The reader of what fails otherwise is not left waiting. */
async function finishedOr(stream: EventStream, replayed: () => Promise<string | undefined>) {
  try {
    return await replayed();
  } catch (error) {
    if (error instanceof UnavailableError) return undefined;
    stream.end();
    throw error;
  }
}

/** The next events that the database has, as far as they follow each other. */
function eventsInTurn({ events, log }: Pick<Dependencies, 'events' | 'log'>, runId: number) {
  let isHoleTold = false;
  return async (after: number) => {
    const batches = await events.after(runId, after);
    const following = withoutHole(batches, after);
    if (following.length < batches.length && !isHoleTold) {
      isHoleTold = true;
      log.warn({ runId, after }, 'events of an answer are missing; its end brings them');
    }
    return following;
  };
}

/** Who looks again when there are new events of a run. */
function lookersOfRuns() {
  const lookers = new Map<number, Set<() => void>>();
  return {
    /** Returns what takes it out again. */
    add(runId: number, look: () => void) {
      const others = lookers.get(runId) ?? new Set();
      lookers.set(runId, others.add(look));
      return () => {
        others.delete(look);
        if (others.size === 0 && lookers.get(runId) === others) lookers.delete(runId);
      };
    },
    tell(runIds: number[]) {
      for (const id of runIds) for (const look of [...(lookers.get(id) ?? [])]) look();
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
    try {
      do {
        again = false;
        await work();
      } while (again);
    } finally {
      busy = false;
    }
  };
}
