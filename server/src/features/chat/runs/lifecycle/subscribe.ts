import type { Run, RunEvent } from '@roster/contracts/chat';
import type { FastifyBaseLogger } from 'fastify';
import { endEvent, framesAfter, unfold, withoutHole } from '#server/features/chat/runs/events/event-log';
import type { EventRepository } from '#server/features/chat/runs/events/event-repository';
import type { RunRepository } from '#server/features/chat/shared/run-repository';
import type { EventStream } from '#server/http/streaming/event-stream';
import { UnavailableError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { LiveRuns } from './live-run.ts';

const pollEveryMs = 1_000;

type Dependencies = {
  runs: Pick<RunRepository, 'find' | 'finished'>;
  events: Pick<EventRepository, 'after'>;
  log: FastifyBaseLogger;
  live: LiveRuns;
};

/**
 * Readers follow live runs from memory, and runs of other instances through the database, on signals and by polling.
 */
export function createRunSubscriptions({ runs, events, log, live }: Dependencies) {
  const subscribers = createSubscribers();
  async function watchElsewhere(userId: number, runId: number, after: number, stream: EventStream) {
    let seen = after;
    let isLeft = false;
    const following = eventsInTurn({ events, log }, runId);

    const poll = oneAtATime(async () => {
      if (isLeft) return;
      const here = live.get(runId);
      if (here) {
        // Resumed here: all stored events are in memory too.
        leave();
        return here.watch(stream, seen);
      }
      for (const batch of await following(seen)) {
        stream.write(framesAfter(batch.frames, seen));
        seen = batch.last;
      }
      const run = await runs.find(userId, runId);
      if (run?.state === 'queued' || run?.state === 'running' || run?.state === 'waiting') return;
      // Ended, or deleted with its thread.
      stream.write((await replay(runs, { userId, runId, after: seen })) ?? '');
      stream.end();
    });
    const failed = endedBy(log, runId, stream);
    const pollSafely = () => void poll().catch(failed);

    const unsubscribe = subscribers.add(runId, pollSafely);
    const timer = setInterval(pollSafely, pollEveryMs);
    function leave() {
      isLeft = true;
      clearInterval(timer);
      unsubscribe();
    }
    stream.onClose(leave);
    await poll().catch(failed);
  }

  return {
    /** Writes the events after `after`, then all new ones. */
    async watch(actor: Pick<Actor, 'userId'>, run: Run, after: number, stream: EventStream): Promise<void> {
      const here = live.get(run.id);
      if (here) return here.watch(stream, after);
      const finished = await finishedOr(stream, () => replay(runs, { userId: actor.userId, runId: run.id, after }));
      if (finished === undefined) return watchElsewhere(actor.userId, run.id, after, stream);
      stream.write(finished);
      stream.end();
    },
    /** Lets readers of a live run follow it through the database; they have seen the events up to `after`. */
    followElsewhere({ userId, runId }: { userId: number; runId: number }, after: number, streams: EventStream[]) {
      for (const stream of streams) void watchElsewhere(userId, runId, after, stream);
    },
    /** Call when runs have new events. */
    notify: subscribers.notify,
  };
}

export type RunSubscriptions = ReturnType<typeof createRunSubscriptions>;

/** Readers are not told about a database outage; we poll every second until it is back. */
const endedBy = (log: FastifyBaseLogger, runId: number, stream: EventStream) => (error: unknown) => {
  if (error instanceof UnavailableError) return;
  log.error({ err: error, runId }, 'following a run failed');
  stream.end();
};

/** undefined: not ended, or the database is unavailable. Other errors end the stream. */
async function finishedOr(stream: EventStream, replayed: () => Promise<string | undefined>) {
  try {
    return await replayed();
  } catch (error) {
    if (error instanceof UnavailableError) return undefined;
    stream.end();
    throw error;
  }
}

/** Reads the next stored events up to a gap, and logs the first gap. */
function eventsInTurn({ events, log }: Pick<Dependencies, 'events' | 'log'>, runId: number) {
  let isGapReported = false;
  return async (after: number) => {
    const batches = await events.after(runId, after);
    const following = withoutHole(batches, after);
    if (following.length < batches.length && !isGapReported) {
      isGapReported = true;
      log.warn({ runId, after }, 'events of an answer are missing; its end brings them');
    }
    return following;
  };
}

/** Pollers to call when a run has new events. */
function createSubscribers() {
  const subscribers = new Map<number, Set<() => void>>();
  return {
    /** Returns a function that unsubscribes. */
    add(runId: number, poll: () => void) {
      const others = subscribers.get(runId) ?? new Set();
      subscribers.set(runId, others.add(poll));
      return () => {
        others.delete(poll);
        if (others.size === 0 && subscribers.get(runId) === others) subscribers.delete(runId);
      };
    },
    notify(runIds: number[]) {
      for (const id of runIds) for (const poll of [...(subscribers.get(id) ?? [])]) poll();
    },
  };
}

/** If called while `work` is running, runs it once more afterwards. */
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

/** All events of a finished run after `after`; undefined while it is active. */
async function replay(
  runs: Pick<RunRepository, 'finished'>,
  { userId, runId, after }: { userId: number; runId: number; after: number },
): Promise<string | undefined> {
  const run = await runs.finished(userId, runId);
  if (!run) return undefined;
  const usage: RunEvent | null = run.usage && { type: 'usage', ...run.usage };
  return unfold(run.log, usage, { event: endEvent(run), number: run.lastEvent }, after);
}
