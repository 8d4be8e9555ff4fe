import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from './schema.ts';

const name = 'backup';
const Time = z.iso.datetime();

/** The newest backup that was started. Times of events that have not happened are null. */
const BackupRecord = z.strictObject({
  /** The scheduled time it was made for; initially when Roster first knew of a schedule. */
  slot: Time,
  startedAt: Time.nullable(),
  /** null with `startedAt` set: it is being made, unless `leaseUntil` has passed. */
  finishedAt: Time.nullable(),
  bytes: z.int().nullable(),
  verified: z.boolean(),
  failure: z.string().nullable(),
  file: z.string().nullable(),
  /** When the last good one finished; remains while later ones fail. */
  goodAt: Time.nullable(),
  leaseUntil: Time.nullable(),
});
export type BackupRecord = z.infer<typeof BackupRecord>;

/** Always in the same key order, so that two can be compared. */
const textOf = (record: BackupRecord) => JSON.stringify(BackupRecord.parse(record));

/** The state of scheduled backups: one value, which a process changes only if it is as it read it. */
export function backupRecordRepository(db: Kysely<Database>) {
  const stored = () => db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return {
    async find(): Promise<BackupRecord | undefined> {
      const row = await stored();
      return row && BackupRecord.parse(JSON.parse(row.value));
    },
    async begin(record: BackupRecord) {
      await db
        .insertInto('settings')
        .values({ name, value: textOf(record) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },
    /** Returns false if another process changed it first; then nothing is changed. */
    async change(before: BackupRecord, after: BackupRecord): Promise<boolean> {
      const row = await stored();
      if (!row || textOf(JSON.parse(row.value)) !== textOf(before)) return false;
      const { numUpdatedRows } = await db
        .updateTable('settings')
        .set({ value: textOf(after) })
        .where('name', '=', name)
        .where('value', '=', row.value)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
