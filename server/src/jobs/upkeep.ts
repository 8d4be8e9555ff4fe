import type { FastifyBaseLogger } from 'fastify';

const everyMs = 60 * 60_000;

/** Removes what is past its time, at the start and every hour; in several processes at once it does no harm. */
export function startUpkeep(tasks: readonly (() => Promise<void>)[], log: FastifyBaseLogger) {
  let stopped = false;
  let underWay = Promise.resolve();

  async function run() {
    for (const task of tasks)
      if (!stopped) await task().catch((error: unknown) => log.error({ err: error }, 'upkeep failed'));
  }
  const again = () => {
    underWay = underWay.then(run);
  };
  const timer = setInterval(again, everyMs).unref();
  again();

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await underWay;
    },
  };
}

export type Upkeep = ReturnType<typeof startUpkeep>;
