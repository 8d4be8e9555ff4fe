import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The last resort of the engine gives up also what it would make again, as the code of what ran once. */
type Collection = { type: 'minor' | 'major'; execution: 'sync'; flavor?: 'regular' | 'last-resort' };

/** The engine's own collector, which it shows only when told so. */
export function garbageCollector(): (collection: Collection) => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return (collection) => {
    if (typeof collect === 'function') collect(collection);
  };
}

const afterMs = 1_000;

/**
 * Collects once what the start has left behind: modules that ran and will not run again are a fifth of an idle server. It
 * takes 0.1 s, after which the engine would do it only under need.
 */
export const collectAfterStart = () =>
  setTimeout(() => garbageCollector()({ type: 'major', execution: 'sync', flavor: 'last-resort' }), afterMs).unref();

/**
 * The engine lets a small heap grow to four times what is in use before it collects, which takes an hour under a steady load and
 * looks like a leak. A quarter more is enough, and what that costs could not be told from chance.
 */
export const growHeapByAQuarter = () => setFlagsFromString('--heap-growing-percent=25');
