import type { FastifyBaseLogger } from 'fastify';
import type { RunExecutor } from './runs/executor.ts';
import type { SearchRepository } from './search/repository.ts';

const stopsEveryMs = 1_000;
const recoverEveryMs = 5_000;
const mergeEveryMs = 60_000;

/**
 * What has to happen now and then: obeying stops that came before the run was live, or that no signal brought; ending
 * abandoned runs; tidying the search.
 */
export function startUpkeep(
  { executor, search }: { executor: RunExecutor; search: SearchRepository },
  log: FastifyBaseLogger,
): { stop: () => void } {
  const every = (ms: number, work: () => Promise<unknown>) =>
    setInterval(() => work().catch((error: unknown) => log.error({ err: error }, 'upkeep failed')), ms).unref();
  const timers = [
    every(recoverEveryMs, executor.recoverAgain),
    every(mergeEveryMs, async () => {
      if (executor.isIdle()) await search.merge();
    }),
    every(stopsEveryMs, executor.obeyStops),
  ];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
