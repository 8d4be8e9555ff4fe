import { type Kysely, type Selectable, sql } from 'kysely';
import { prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

/** A claimed job, with its payload as stored. */
export type StoredJob = { id: number; kind: string; payload: string; attempts: number; claimedUntil: string };

/** The failure: `said` for operators who look at the row, `failure` as a code for administrators. */
type JobFailure = { message: string; failure: string };

const toJob = (row: Selectable<Database['jobs']>, claimedUntil: string): StoredJob => ({
  id: row.id,
  kind: row.kind,
  payload: row.payload,
  attempts: row.attempts,
  claimedUntil,
});

/** The jobs that a process has capacity for. */
export type Capacity = {
  /** Only these kinds; undefined: all. */
  kinds?: readonly string[];
  exceptKinds: readonly string[];
  /** Except payloads of these kinds that start so. */
  exceptPayloads: readonly { kind: string; beginning: string }[];
};
const noneExcept: Capacity = { exceptKinds: [], exceptPayloads: [] };

/** Executed every second for as long as Roster runs. */
const due = prepared<{ now: string }, { id: number }>((db, at) =>
  db
    .selectFrom('jobs')
    .select('id')
    .where('given_up_at', 'is', null)
    .where('run_at', '<=', at('now'))
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', at('now'))]))
    .limit(1),
);

export function jobRepository(db: Kysely<Database>) {
  return {
    async insert(kind: string, payload: string, runAt: string) {
      await db
        .insertInto('jobs')
        .values({ kind, payload, run_at: runAt, created_at: new Date().toISOString() })
        .execute();
    },
    /** Makes a waiting job due by this time at the latest. false: there is none. */
    async bringForward(kind: string, payload: string, runAt: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set((eb) => ({ run_at: eb.case().when('run_at', '<', runAt).then(eb.ref('run_at')).else(runAt).end() }))
        .where('kind', '=', kind)
        .where('payload', '=', payload)
        .where('claimed_until', 'is', null)
        .where('given_up_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** True if there may be a job to claim: costs a fraction of a claim. */
    isAnyDue: async (now: string): Promise<boolean> => (await due.first(db, { now })) !== undefined,
    /**
     * Claims the job that has been due longest. Claims expire, so that the job of a dead process is free again. The
     * condition is in the update itself, so only one of several processes gets it.
     */
    async claim(
      now: string,
      until: string,
      { kinds, exceptKinds, exceptPayloads }: Capacity = noneExcept,
    ): Promise<StoredJob | undefined> {
      const row = await db
        .updateTable('jobs')
        .set((eb) => ({ claimed_until: until, attempts: eb('attempts', '+', 1) }))
        .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
        .where('given_up_at', 'is', null)
        .where('id', '=', (eb) =>
          eb
            .selectFrom('jobs as due')
            .select('due.id')
            .where('due.given_up_at', 'is', null)
            .where('due.run_at', '<=', now)
            .$if(exceptKinds.length > 0, (query) => query.where('due.kind', 'not in', exceptKinds))
            .$if(kinds !== undefined, (query) => query.where('due.kind', 'in', kinds ?? []))
            .where(({ and, not, eb: inner }) =>
              and(
                exceptPayloads.map(({ kind, beginning }) =>
                  not(and([inner('due.kind', '=', kind), inner('due.payload', 'like', `${beginning}%`)])),
                ),
              ),
            )
            .where((inner) => inner.or([inner('due.claimed_until', 'is', null), inner('due.claimed_until', '<=', now)]))
            .orderBy('due.run_at')
            .orderBy('due.id')
            .limit(1),
        )
        .returningAll()
        .executeTakeFirst();
      return row && toJob(row, until);
    },
    async done({ id, claimedUntil }: StoredJob) {
      await db.deleteFrom('jobs').where('id', '=', id).where('claimed_until', '=', claimedUntil).execute();
    },
    /** At the start of the only process: releases all claims, whose processes are dead. */
    async releaseAll() {
      await db.updateTable('jobs').set({ claimed_until: null }).where('claimed_until', 'is not', null).execute();
    },
    /** Releases a claimed job that was not started. */
    async release({ id, claimedUntil }: StoredJob) {
      await db
        .updateTable('jobs')
        .set((eb) => ({ claimed_until: null, attempts: eb('attempts', '-', 1) }))
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    async tryAgain({ id, claimedUntil }: StoredJob, runAt: string, { message, failure }: JobFailure) {
      await db
        .updateTable('jobs')
        .set({ run_at: runAt, claimed_until: null, last_error: message, error_class: failure })
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    async giveUp({ id, claimedUntil }: StoredJob, at: string, { message, failure }: JobFailure) {
      await db
        .updateTable('jobs')
        .set({ given_up_at: at, claimed_until: null, last_error: message, error_class: failure })
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    /** Number of jobs by state, and since when the oldest is due. */
    async counts(now: string) {
      const isFree = sql<boolean>`(claimed_until is null or claimed_until <= ${now})`;
      return db
        .selectFrom('jobs')
        .select([
          sql<number>`coalesce(sum(case when given_up_at is null and ${isFree} then 1 else 0 end), 0)`.as('waiting'),
          sql<number>`coalesce(sum(case when given_up_at is null and ${isFree} and run_at <= ${now} then 1 else 0 end), 0)`.as(
            'due',
          ),
          sql<string | null>`min(case when given_up_at is null and ${isFree} and run_at <= ${now} then run_at end)`.as(
            'oldestDueAt',
          ),
          sql<number>`coalesce(sum(case when given_up_at is not null then 1 else 0 end), 0)`.as('givenUp'),
        ])
        .executeTakeFirstOrThrow();
    },
    /** The newest failed jobs, without their content. */
    newestGivenUp: (limit: number) =>
      db
        .selectFrom('jobs')
        .select(['id', 'kind', 'created_at', 'given_up_at', 'attempts', 'error_class'])
        .where('given_up_at', 'is not', null)
        .orderBy('given_up_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    /** Resets a failed job as if never tried. Returns its kind; undefined: there is no such job. */
    async takeUpAgain(id: number, runAt: string): Promise<string | undefined> {
      const row = await db
        .updateTable('jobs')
        .set({ given_up_at: null, run_at: runAt, attempts: 0 })
        .where('id', '=', id)
        .where('given_up_at', 'is not', null)
        .returning('kind')
        .executeTakeFirst();
      return row?.kind;
    },
    async forgetGivenUp(before: string) {
      await db.deleteFrom('jobs').where('given_up_at', '<', before).execute();
    },
  };
}
