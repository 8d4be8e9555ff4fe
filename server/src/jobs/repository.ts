import type { Kysely, Selectable } from 'kysely';
import { prepared } from '#server/db/prepared';
import type { Database } from '#server/db/schema';

/** A claimed job, with its payload as stored. */
export type StoredJob = { id: number; kind: string; payload: string; attempts: number; claimedUntil: string };

const toJob = (row: Selectable<Database['jobs']>, claimedUntil: string): StoredJob => ({
  id: row.id,
  kind: row.kind,
  payload: row.payload,
  attempts: row.attempts,
  claimedUntil,
});

/** Asked every second for as long as Roster runs. */
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
    /** Whether there may be one to claim: asking costs a fraction of a claim. */
    isAnyDue: async (now: string): Promise<boolean> => (await due.first(db, { now })) !== undefined,
    /**
     * Claims the job that has been due longest. The claim expires, so that the job of a process that died is free again. The condition
     * stands in the update itself, so of several processes only one gets it.
     */
    async claim(now: string, until: string, exceptKinds: string[] = []): Promise<StoredJob | undefined> {
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
    /** At the start of the only process: releases all claims, whose processes are gone. */
    async letGoAll() {
      await db.updateTable('jobs').set({ claimed_until: null }).where('claimed_until', 'is not', null).execute();
    },
    /** Releases a claimed job that was not started. */
    async letGo({ id, claimedUntil }: StoredJob) {
      await db
        .updateTable('jobs')
        .set((eb) => ({ claimed_until: null, attempts: eb('attempts', '-', 1) }))
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    async tryAgain({ id, claimedUntil }: StoredJob, runAt: string, lastError: string) {
      await db
        .updateTable('jobs')
        .set({ run_at: runAt, claimed_until: null, last_error: lastError })
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    async giveUp({ id, claimedUntil }: StoredJob, at: string, lastError: string) {
      await db
        .updateTable('jobs')
        .set({ given_up_at: at, claimed_until: null, last_error: lastError })
        .where('id', '=', id)
        .where('claimed_until', '=', claimedUntil)
        .execute();
    },
    async forgetGivenUp(before: string) {
      await db.deleteFrom('jobs').where('given_up_at', '<', before).execute();
    },
  };
}

export type JobRepository = ReturnType<typeof jobRepository>;
