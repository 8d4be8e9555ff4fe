import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import { type Counted, rateCountsRepository } from './rate-counts-repository.ts';
import type { Limit, Place, Windows } from './rate-windows.ts';

/** How long it is remembered that somebody has had enough: a flood of requests is then not one of queries. */
const rememberedMs = 1_000;
const rememberedAtMost = 10_000;
/** How often a process tells the others what it has counted by itself. */
const toldEveryMs = 250;

type Tally = { windows: Windows; place: Place; part: string | undefined; lengthMs: number; by: number };

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const countedOf = ({ id, part }: Place): Counted => ({
  site: digest(id),
  part: part === undefined ? '' : digest(part),
});
const keyOf = ({ site, part }: Counted) => `${site} ${part}`;

/** Rates of all the processes that share a PostgreSQL: ten of them do not mean ten times the guesses at a password. */
export function createSharedRateLimits(db: Kysely<Database>, onProblem: (error: unknown) => void) {
  const counts = rateCountsRepository(db);
  const remembered = new Map<string, number>();
  const tallies = tallyOf(counts, onProblem);

  function waitMsOf(key: string): number {
    const until = remembered.get(key) ?? 0;
    const left = until - performance.now();
    if (left <= 0) remembered.delete(key);
    return Math.max(0, left);
  }

  return {
    /** Counts one use, exactly. Returns how long to wait where there were enough. */
    async use(place: Place, { count, lengthMs }: Limit): Promise<number> {
      const counted = countedOf(place);
      const key = keyOf(counted);
      const known = waitMsOf(key);
      if (known > 0) return known;
      const waitMs = await counts.use({ ...counted, count, lengthMs });
      if (waitMs > 0) {
        if (remembered.size >= rememberedAtMost) remembered.clear();
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
    /** Notes a use that was counted here, for the others to know of soon. */
    note: tallies.note,
    close: tallies.close,
  };
}

export type SharedRateLimits = ReturnType<typeof createSharedRateLimits>;

/** What was counted in this process and is not yet known to the others. */
function tallyOf(counts: ReturnType<typeof rateCountsRepository>, onProblem: (error: unknown) => void) {
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
      // They count here all the same. Where the database is away so is everything else.
      onProblem(error);
    }
  }

  return {
    note(windows: Windows, place: Place, lengthMs: number) {
      const part = windows.countedAs(place);
      const key = keyOf(countedOf({ ...place, part }));
      const known = unsent.get(key);
      if (known) known.by++;
      else unsent.set(key, { windows, place, part, lengthMs, by: 1 });
      timer ??= setTimeout(() => {
        telling = tell();
      }, toldEveryMs).unref();
    },
    async close() {
      clearTimeout(timer);
      await telling;
    },
  };
}

/** Windows that are over; elsewhere than on PostgreSQL they are in memory. */
export const removeExpiredRateCounts = (db: Kysely<Database>): ScheduledTask => ({
  everyMs: 60_000,
  run: async () => isPostgres(db) && rateCountsRepository(db).forgetEnded(),
});
