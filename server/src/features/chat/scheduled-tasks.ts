import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { RunExecutor } from './runs/executor.ts';
import type { SearchRepository } from './shared/search-repository.ts';

const stopsEveryMs = 1_000;
const recoverEveryMs = 5_000;
const startEveryMs = 5_000;
const mergeEveryMs = 60_000;
const expireEveryMs = 5_000;

/**
 * Obeys stop requests that no signal brought, recovers abandoned runs, sends messages left in line, ends runs that have waited too long for
 * approval, and merges the search index.
 */
export const chatTasks = ({
  executor,
  startDue,
  search,
}: {
  executor: RunExecutor;
  startDue: () => Promise<void>;
  search: SearchRepository;
}): ScheduledTask[] => [
  { everyMs: recoverEveryMs, run: executor.recoverAgain },
  { everyMs: startEveryMs, run: startDue },
  {
    everyMs: mergeEveryMs,
    run: async () => {
      if (executor.isIdle()) await search.merge();
    },
  },
  { everyMs: stopsEveryMs, run: executor.obeyStops },
  { everyMs: expireEveryMs, run: executor.expireWaiting },
];
