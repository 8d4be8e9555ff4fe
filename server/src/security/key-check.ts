import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { UnusableSecret } from './master-key.ts';
import { CannotOpen, type Vault } from './vault.ts';

/**
 * Makes sure, before anything is written, that the configured master key is the one this database was made with; a new
 * database remembers it. @throws UnusableSecret
 */
export async function checkMasterKey(db: Kysely<Database>, vault: Vault) {
  const stored = await db.selectFrom('settings').select('value').where('name', '=', 'key_check').executeTakeFirst();
  if (!stored) {
    await db
      .insertInto('settings')
      .values({ name: 'key_check', value: vault.newKeyCheck() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return;
  }
  try {
    vault.verifyKeyCheck(stored.value);
  } catch (cause) {
    if (!(cause instanceof CannotOpen)) throw cause;
    throw new UnusableSecret(
      'The master key is not the one this database was made with. Put the right one back (MASTER_KEY, MASTER_KEY_FILE or DATA_DIR/master.key).',
      { cause },
    );
  }
}
