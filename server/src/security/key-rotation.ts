import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Vault } from './vault.ts';

const atOnce = 100;

/**
 * Brings everything that an older master key protects under the current one, a batch at a time: it may be ended and
 * started again at any point. Afterwards no row names the older key, and it may be taken out of the configuration.
 * Returns how many data keys were wrapped anew.
 */
export async function rewrapKeys(db: Kysely<Database>, vault: Vault): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await db
      .selectFrom('data_keys')
      .selectAll()
      .where('wrapped', 'not like', `v1.${vault.currentKeyId}.%`)
      .limit(atOnce)
      .execute();
    if (rows.length === 0) break;
    for (const row of rows) {
      await db
        .updateTable('data_keys')
        .set({ wrapped: vault.rewrap(row.user_id, row.wrapped) })
        .where('user_id', '=', row.user_id)
        // Only what was read: a process that rotates at the same time has not been overtaken.
        .where('wrapped', '=', row.wrapped)
        .execute();
      count++;
    }
  }
  await db
    .updateTable('settings')
    .set({ value: vault.newKeyCheck() })
    .where('name', '=', 'key_check')
    .where('value', 'not like', `v1.${vault.currentKeyId}.%`)
    .execute();
  return count;
}
