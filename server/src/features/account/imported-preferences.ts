import { PreferencesInput } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { preferencesService } from './preferences.ts';
import { preferencesRepository } from './preferences-repository.ts';

/** Takes over the preferences of an account export, unless the user has chosen any here. Call in a transaction. */
export async function importPreferences(trx: Kysely<Database>, userId: number, given: unknown) {
  const preferences = preferencesRepository(trx);
  const { data } = PreferencesInput.safeParse(given);
  if (data && !(await preferences.isSaved(userId))) await preferencesService(preferences).save(userId, data);
}
