import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from './schema.ts';

/** Last times that the installation records for its operator, in the table `settings`. */
type Timestamp<What extends z.ZodType> = { name: string; what: What };
const defineTimestamp = <What extends z.ZodType>(name: string, what: What): Timestamp<What> => ({ name, what });

const At = z.object({ at: z.string() });
export const lastBackup = defineTimestamp('last_backup', At.extend({ name: z.string(), bytes: z.number() }));
export const lastMailSent = defineTimestamp('last_mail_sent', At);
export const lastMailFailure = defineTimestamp('last_mail_failure', At.extend({ failure: z.string() }));

export async function saveTimestamp<What extends z.ZodType>(
  db: Kysely<Database>,
  { name }: Timestamp<What>,
  what: NoInfer<z.input<What>>,
) {
  const value = JSON.stringify(what);
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** undefined: it has not happened yet. */
export async function readTimestamp<What extends z.ZodType>(
  db: Kysely<Database>,
  { name, what }: Timestamp<What>,
): Promise<z.output<What> | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row && what.parse(JSON.parse(row.value));
}
