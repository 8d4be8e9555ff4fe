import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** `key_check` is encrypted with the current master key, `key_check_before` with the previous one. */
const names = ['key_check', 'key_check_before'] as const;

type Checks = { current?: string | undefined; before?: string | undefined };

/** Texts that tell whether a master key is the one of this database. */
export function keyCheckRepository(db: Kysely<Database>) {
  return {
    /** Empty if the database is new. */
    async find(): Promise<Checks> {
      const tables = await db.introspection.getTables();
      if (!tables.some(({ name }) => name === 'settings')) return {};
      const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
      const [current, before] = names.map((name) => rows.find((row) => row.name === name)?.value);
      return { current, before };
    },
    /** Stores the first one; another process may have done so. */
    async insert(check: string) {
      await db
        .insertInto('settings')
        .values({ name: 'key_check', value: check })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },
    /** `current` becomes the previous one, unless it has been replaced already. */
    async replace(current: string, fresh: string) {
      await db.transaction().execute(async (trx) => {
        const changed = await trx
          .updateTable('settings')
          .set({ value: fresh })
          .where('name', '=', 'key_check')
          .where('value', '=', current)
          .executeTakeFirst();
        if (changed.numUpdatedRows === 0n) return;
        await trx
          .insertInto('settings')
          .values({ name: 'key_check_before', value: current })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: current }))
          .execute();
      });
    },
    async forgetBefore(before: string) {
      await db.deleteFrom('settings').where('name', '=', 'key_check_before').where('value', '=', before).execute();
    },
  };
}
