import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** More than a provider can refuse. */
const maxListed = 200;

/** Under this name is stored what a connection’s provider has refused. */
export const scopeOf = (connectionId: number) => `connection:${connectionId}`;

/** The stored refusals of providers. */
export function refusalRepository(db: Kysely<Database>) {
  return {
    /** Only those that are not due to be tried again. */
    list: (scope: string, now: string) =>
      db
        .selectFrom('provider_traits')
        .select(['model', 'trait', 'learned_at', 'ask_at'])
        .where('base_url', '=', scope)
        .where('ask_at', '>', now)
        .orderBy('trait')
        .orderBy('model')
        .limit(maxListed)
        .execute(),
    async forget(scope: string) {
      await db.deleteFrom('provider_traits').where('base_url', '=', scope).execute();
    },
  };
}
