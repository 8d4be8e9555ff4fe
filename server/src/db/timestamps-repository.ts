import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from './schema.ts';

/** Last times that the installation records for its operator, in the table `settings`. */
type LastTime<What extends z.ZodType> = { name: string; what: What };
const lastTimeOf = <What extends z.ZodType>(name: string, what: What): LastTime<What> => ({ name, what });

const At = z.object({ at: z.string() });
export const lastBackup = lastTimeOf('last_backup', At.extend({ name: z.string(), bytes: z.number() }));
export const lastMailSent = lastTimeOf('last_mail_sent', At);
export const lastMailFailure = lastTimeOf('last_mail_failure', At.extend({ failure: z.string() }));

export async function remember<What extends z.ZodType>(
  db: Kysely<Database>,
  { name }: LastTime<What>,
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
export async function remembered<What extends z.ZodType>(
  db: Kysely<Database>,
  { name, what }: LastTime<What>,
): Promise<z.output<What> | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row && what.parse(JSON.parse(row.value));
}
