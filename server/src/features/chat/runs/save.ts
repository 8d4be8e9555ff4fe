import type { FastifyBaseLogger } from 'fastify';
import type { Presence } from '#server/db/presence';
import type { EventRepository } from './event-repository.ts';
import type { LiveRun, LiveRuns } from './live-run.ts';

/** Text is stored at least this often, for all runs in one commit. */
const saveEveryMs = 200;

type Dependencies = {
  events: Pick<EventRepository, 'store'>;
  existing: (runIds: number[]) => Promise<Set<number>>;
  presence: Pick<Presence, 'send'>;
  log: FastifyBaseLogger;
  live: LiveRuns;
};

/** Stops runs whose rows another process has deleted: they would keep the others from being stored. */
async function stopVanished(existing: Dependencies['existing'], batch: LiveRun[]): Promise<boolean> {
  const there = await existing(batch.map(({ order }) => order.runId)).catch(() => undefined);
  const vanished = there ? batch.filter(({ order }) => !there.has(order.runId)) : [];
  for (const run of vanished) run.stop();
  return vanished.length > 0;
}

/** Stores the new events of live runs now and then, all of them together. */
export function eventSaver({ events, existing, presence, log, live }: Dependencies) {
  const unsaved = new Set<LiveRun>();
  /** Those whose end is being stored: what was under way for them and fails is not done again. */
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

  /** What could not be stored is tried again with the next ones. */
  async function save() {
    const batch = [...unsaved];
    unsaved.clear();
    const parts = batch.flatMap((run) => {
      const part = run.unsaved();
      return part && live.has(run.order.runId) && !run.controller.signal.aborted ? [{ run, part }] : [];
    });
    if (parts.length === 0) return;
    try {
      const begun = batch.filter((run) => !run.announced).map(({ order }) => order.runId);
      for (const { run } of parts) run.hasStored = true;
      await events.store(
        begun,
        parts.map(({ run, part }) => ({ runId: run.order.runId, ...part })),
      );
      for (const { run, part } of parts) {
        run.announced = true;
        run.markSaved(part.last);
      }
      presence.send({ eventsOf: parts.map(({ run }) => run.order.runId) });
    } catch (error) {
      const hadVanished = await stopVanished(
        existing,
        parts.map(({ run }) => run),
      );
      if (!hadVanished) log.error({ err: error }, 'storing answers failed');
      for (const run of batch) if (live.has(run.order.runId) && !leftOut.has(run)) add(run);
    }
  }

  return {
    add,
    /** After this nothing of the run is stored here any more: its end stores all of it. */
    async leaveOut(run: LiveRun) {
      leftOut.add(run);
      unsaved.delete(run);
      await saving;
    },
  };
}

export type EventSaver = ReturnType<typeof eventSaver>;
