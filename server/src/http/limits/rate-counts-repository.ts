import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { maxParts } from './rate-windows.ts';

/** The counter: a `part` of a site, or '' for the site itself. Both are digests. */
export type CounterKey = { site: string; part: string };
/** Uses to add, in a window of this length if none is open. */
type Uses = CounterKey & { by: number; lengthMs: number };

/** Expired windows are deleted regularly; above this number, also those that end first. */
const maxRows = 500_000;

/** The database's clock, which all processes share. */
const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::double precision`;

type Use = CounterKey & { lengthMs: number; count: number };

/**
 * Returns no row if the limit is reached. Parts are counted separately while their site has few; further parts share
 * the site's count.
 */
const useOne = prepared(
  (_db, at: Params<Use>) => sql<{ used: number }>`
    with asked as (select ${at('site')}::text as site, ${at('part')}::text as part, ${nowMs} as now),
    placed as (
      select site, now, case when part = ''
        or exists (select 1 from rate_counts c where c.site = asked.site and c.part = asked.part and c.ends_at > now)
        or (select count(*) from rate_counts c where c.site = asked.site and c.part <> '' and c.ends_at > now) < ${sql.lit(maxParts)}
        then part else '' end as part
      from asked
    )
    insert into rate_counts as c (site, part, used, ends_at)
    select site, part, 1, now + ${at('lengthMs')}::double precision from placed
    on conflict (site, part) do update set
      used = case when c.ends_at <= ${nowMs} then 1 else c.used + 1 end,
      ends_at = case when c.ends_at <= ${nowMs} then excluded.ends_at else c.ends_at end
    where c.ends_at <= ${nowMs} or c.used < ${at('count')}::integer
    returning c.used`,
);

/** Remaining time of the window that counts it. */
const openFor = prepared(
  (_db, at: Params<CounterKey>) => sql<{ leftMs: number }>`
    select ends_at - ${nowMs} as "leftMs" from rate_counts
    where site = ${at('site')} and part in (${at('part')}::text, '') and ends_at > ${nowMs}
    order by part desc limit 1`,
);

const giveOneBack = prepared(
  (_db, at: Params<CounterKey>) => sql`
    update rate_counts set used = used - 1
    where site = ${at('site')} and used > 0 and ends_at > ${nowMs} and part = case when exists (
      select 1 from rate_counts c where c.site = ${at('site')} and c.part = ${at('part')} and c.ends_at > ${nowMs}
    ) then ${at('part')}::text else '' end`,
);

type Columns = { sites: string[]; parts: string[]; uses: number[]; lengths: number[] };

const addAll = prepared(
  (_db, at: Params<Columns>) => sql<{ site: string; part: string; used: number; leftMs: number }>`
    insert into rate_counts as c (site, part, used, ends_at)
    select site, part, by, ${nowMs} + length_ms
    from unnest(${at('sites')}::text[], ${at('parts')}::text[], ${at('uses')}::integer[], ${at('lengths')}::double precision[])
      as added (site, part, by, length_ms)
    on conflict (site, part) do update set
      used = case when c.ends_at <= ${nowMs} then excluded.used else c.used + excluded.used end,
      ends_at = case when c.ends_at <= ${nowMs} then excluded.ends_at else c.ends_at end
    returning c.site, c.part, c.used, c.ends_at - ${nowMs} as "leftMs"`,
);

/** Rate counts shared by all processes. PostgreSQL only; with SQLite there is one process. */
export function rateCountsRepository(db: Kysely<Database>) {
  return {
    /** Counts one use. Returns the time to wait if the limit is reached, else 0. */
    async use(use: Use): Promise<number> {
      if (await useOne.first(db, use)) return 0;
      // The window may have ended between the two queries.
      return Math.max(1, (await openFor.first(db, use))?.leftMs ?? 1);
    },
    giveBack: (counted: CounterKey) => giveOneBack.all(db, counted),
    /** Deletes a site with all of its parts, or the uses of one part. */
    async forget({ site, part }: CounterKey) {
      if (part === '') await db.deleteFrom('rate_counts').where('site', '=', site).execute();
      else
        await db
          .updateTable('rate_counts')
          .set({ used: 0 })
          .where('site', '=', site)
          .where('part', '=', part)
          .execute();
    },
    /** Adds uses of distinct counters; returns their current counts and remaining times. */
    add(all: Uses[]) {
      // Sorted, so that concurrent processes cannot deadlock on each other's rows.
      const sorted = all.toSorted(
        (one, other) => compareStrings(one.site, other.site) || compareStrings(one.part, other.part),
      );
      return addAll.all(db, {
        sites: sorted.map(({ site }) => site),
        parts: sorted.map(({ part }) => part),
        uses: sorted.map(({ by }) => by),
        lengths: sorted.map(({ lengthMs }) => lengthMs),
      });
    },
    async forgetEnded() {
      await sql`delete from rate_counts where ends_at <= ${nowMs}`.execute(db);
      await sql`delete from rate_counts where ends_at <
        (select ends_at from rate_counts order by ends_at desc offset ${sql.lit(maxRows)} limit 1)`.execute(db);
    },
  };
}

const compareStrings = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
