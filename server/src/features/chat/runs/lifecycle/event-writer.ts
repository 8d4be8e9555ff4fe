import type { FastifyBaseLogger } from 'fastify';
import type { Presence } from '#server/db/presence';
import type { EventRepository } from '#server/features/chat/runs/events/event-repository';
import type { LiveRun, LiveRuns } from './live-run.ts';

/** Events are stored this often, for all runs in one commit. */
const saveEveryMs = 200;

type Dependencies = {
  events: Pick<EventRepository, 'store'>;
  existing: (runIds: number[]) => Promise<Set<number>>;
  presence: Pick<Presence, 'send'>;
  log: FastifyBaseLogger;
  live: LiveRuns;
};

/** Stops runs whose rows were deleted: their events would fail the commit of all runs. */
async function stopVanished(existing: Dependencies['existing'], batch: LiveRun[]): Promise<boolean> {
  const there = await existing(batch.map(({ spec }) => spec.runId)).catch(() => undefined);
  const vanished = there ? batch.filter(({ spec }) => !there.has(spec.runId)) : [];
  for (const run of vanished) run.stop();
  return vanished.length > 0;
}

/** Stores new events of all live runs together, at intervals. */
export function createEventWriter({ events, existing, presence, log, live }: Dependencies) {
  const unsaved = new Set<LiveRun>();
  /** Runs being finalized; failed writes for them are not retried. */
  const leftOut = new WeakSet<LiveRun>();
  let saving: Promise<void> = Promise.resolve();
  let isDue = false;

  function add(run: LiveRun) {
    leftOut.delete(run);
    unsaved.add(run);
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      saving = saving.then(save);
    }, saveEveryMs);
  }

  /** Events that could not be stored are retried with the next ones. */
  async function save() {
    const batch = [...unsaved];
    unsaved.clear();
    const parts = batch.flatMap((run) => {
      const part = run.unsaved();
      return part && live.has(run.spec.runId) && !run.controller.signal.aborted ? [{ run, part }] : [];
    });
    if (parts.length === 0) return;
    try {
      const started = batch.filter((run) => !run.announced).map(({ spec }) => spec.runId);
      for (const { run } of parts) run.hasStored = true;
      await events.store(
        started,
        parts.map(({ run, part }) => ({ runId: run.spec.runId, ...part })),
      );
      for (const { run, part } of parts) {
        run.announced = true;
        run.markSaved(part.last);
      }
      presence.send({ eventsOf: parts.map(({ run }) => run.spec.runId) });
    } catch (error) {
      const hadVanished = await stopVanished(
        existing,
        parts.map(({ run }) => run),
      );
      if (!hadVanished) log.error({ err: error }, 'storing answers failed');
      for (const run of batch) if (live.has(run.spec.runId) && !leftOut.has(run)) add(run);
    }
  }

  return {
    add,
    /** Stops writing the run's events here, because its end stores all of them. */
    async detach(run: LiveRun) {
      leftOut.add(run);
      unsaved.delete(run);
      await saving;
    },
  };
}

export type EventWriter = ReturnType<typeof createEventWriter>;
