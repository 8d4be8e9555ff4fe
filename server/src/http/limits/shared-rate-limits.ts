import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import { type CounterKey, rateCountsRepository } from './rate-counts-repository.ts';
import type { Limit, Place, RateWindows } from './rate-windows.ts';

/** How long a reached limit is remembered, so that a flood of requests does not become a flood of queries. */
const rememberedMs = 1_000;
const maxRemembered = 10_000;
/** How often a process shares its own counts. */
const shareEveryMs = 250;

type Tally = { windows: RateWindows; place: Place; part: string | undefined; lengthMs: number; by: number };

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const countedOf = ({ id, part }: Place): CounterKey => ({
  site: digest(id),
  part: part === undefined ? '' : digest(part),
});
const keyOf = ({ site, part }: CounterKey) => `${site} ${part}`;

/**
 * Rate limits across all processes that share a PostgreSQL: ten processes do not allow ten times the password guesses.
 */
export function createSharedRateLimits(db: Kysely<Database>, onProblem: (error: unknown) => void) {
  const counts = rateCountsRepository(db);
  const remembered = new Map<string, number>();
  const tallies = createTally(counts, onProblem);

  function waitMsOf(key: string): number {
    const until = remembered.get(key) ?? 0;
    const left = until - performance.now();
    if (left <= 0) remembered.delete(key);
    return Math.max(0, left);
  }

  return {
    /** Counts one use exactly. Returns the time to wait if the limit is reached. */
    async use(place: Place, { count, lengthMs }: Limit): Promise<number> {
      const counted = countedOf(place);
      const key = keyOf(counted);
      const wait = waitMsOf(key);
      if (wait > 0) return wait;
      const waitMs = await counts.use({ ...counted, count, lengthMs });
      if (waitMs > 0) {
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(key, performance.now() + Math.min(waitMs, rememberedMs));
      }
      return waitMs;
    },
    async giveBack(place: Place) {
      const counted = countedOf(place);
      remembered.delete(keyOf(counted));
      await counts.giveBack(counted);
    },
    async forget(place: Place) {
      const counted = countedOf(place);
      remembered.delete(keyOf(counted));
      await counts.forget(counted);
    },
    /** Records a local use, to be shared soon. */
    note: tallies.note,
    close: tallies.close,
  };
}

export type SharedRateLimits = ReturnType<typeof createSharedRateLimits>;

/** Local counts that the other processes do not know yet. */
function createTally(counts: ReturnType<typeof rateCountsRepository>, onProblem: (error: unknown) => void) {
  let unsent = new Map<string, Tally>();
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<void> = Promise.resolve();

  async function tell() {
    timer = undefined;
    const sent = unsent;
    unsent = new Map();
    try {
      const uses = [...sent.values()].map(({ place: { id }, part, by, lengthMs }) => ({
        ...countedOf({ id, group: '', part }),
        by,
        lengthMs,
      }));
      for (const { site, part, used, leftMs } of await counts.add(uses)) {
        const key = keyOf({ site, part });
        const tally = sent.get(key);
        tally?.windows.learn(tally.place, tally.part, { used: used + (unsent.get(key)?.by ?? 0), leftMs });
      }
    } catch (error) {
      // They still count in this process. If the database is unavailable, so is everything else.
      onProblem(error);
    }
  }

  return {
    note(windows: RateWindows, place: Place, lengthMs: number) {
      const part = windows.countedAs(place);
      const key = keyOf(countedOf({ ...place, part }));
      const pending = unsent.get(key);
      if (pending) pending.by++;
      else unsent.set(key, { windows, place, part, lengthMs, by: 1 });
      timer ??= setTimeout(() => {
        telling = tell();
      }, shareEveryMs).unref();
    },
    async close() {
      clearTimeout(timer);
      await telling;
    },
  };
}

/** Deletes expired windows; with SQLite they are in memory. */
export const removeExpiredRateCounts = (db: Kysely<Database>): ScheduledTask => ({
  everyMs: 60_000,
  run: async () => isPostgres(db) && rateCountsRepository(db).forgetEnded(),
});
