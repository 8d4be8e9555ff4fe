import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

/** Work that is stored in the same transaction as its cause, and done afterwards by whichever process takes it. */
export type StoredJob = { id: number; kind: string; payload: unknown; attempts: number; claimedUntil: string };

const toJob = (row: Selectable<Database['jobs']>, claimedUntil: string): StoredJob => ({
  id: row.id,
  kind: row.kind,
  payload: JSON.parse(row.payload),
  attempts: row.attempts,
  claimedUntil,
});

export function jobRepository(db: Kysely<Database>) {
  return {
    async insert(kind: string, payload: unknown, runAt: string) {
      await db
        .insertInto('jobs')
        .values({ kind, payload: JSON.stringify(payload), run_at: runAt, created_at: new Date().toISOString() })
        .execute();
    },
    /** Has work done by this time at the latest: one job that waits for it is enough, however many ask. */
    async ensure(kind: string, payload: unknown, runAt: string) {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set((eb) => ({ run_at: eb.case().when('run_at', '<', runAt).then(eb.ref('run_at')).else(runAt).end() }))
        .where('kind', '=', kind)
        .where('payload', '=', JSON.stringify(payload))
        .where('claimed_until', 'is', null)
        .where('given_up_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) await this.insert(kind, payload, runAt);
    },
    /**
     * Takes the job that is due longest, for a while; one whose process died is free again after that. The condition
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
    /** At the start of the only process: whoever had taken a job is gone. */
    async letGoAll() {
      await db.updateTable('jobs').set({ claimed_until: null }).where('claimed_until', 'is not', null).execute();
    },
    /** Gives a job back that was taken and not begun. */
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
