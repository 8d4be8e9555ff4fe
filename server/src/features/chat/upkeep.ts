import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { RunExecutor } from './runs/executor.ts';
import type { SearchRepository } from './search/repository.ts';

const stopsEveryMs = 1_000;
const recoverEveryMs = 5_000;
const mergeEveryMs = 60_000;
const expireEveryMs = 5_000;

/**
 * Upkeep: obeying stops that came before the run was live, or that no signal brought; ending
 * abandoned runs, and those that have waited too long for a person; tidying the search.
 */
export const chatUpkeep = ({
  executor,
  search,
}: {
  executor: RunExecutor;
  search: SearchRepository;
}): ScheduledTask[] => [
  { everyMs: recoverEveryMs, run: executor.recoverAgain },
  {
    everyMs: mergeEveryMs,
    run: async () => {
      if (executor.isIdle()) await search.merge();
    },
  },
  { everyMs: stopsEveryMs, run: executor.obeyStops },
  { everyMs: expireEveryMs, run: executor.expireWaiting },
];
