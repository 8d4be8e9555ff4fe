import type { Insertable, Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** More than a provider can refuse. */
const maxListed = 200;
const maxRead = 10_000;

type LearnedRefusal = Pick<
  Insertable<Database['provider_traits']>,
  'model' | 'trait' | 'learned_at' | 'askers' | 'ask_at' | 'step'
>;

/** Under this name is stored what a connection’s provider has refused. */
export const scopeOf = (connectionId: number) => `connection:${connectionId}`;

/** The stored refusals of providers. `scope`: the installation’s base URL, or that of `scopeOf`. */
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
    /** Learned, or to be tried again, after `since`. */
    listSince: (scope: string, since: string) =>
      db
        .selectFrom('provider_traits')
        .selectAll()
        .where('base_url', '=', scope)
        .where((eb) => eb.or([eb('learned_at', '>', since), eb('ask_at', '>', since)]))
        .limit(maxRead)
        .execute(),
    /** One that is known keeps the time when it was learned. */
    async store(scope: string, { model, trait, learned_at, ...changed }: LearnedRefusal) {
      const learned = { value: 'yes', ...changed };
      await db
        .insertInto('provider_traits')
        .values({ base_url: scope, model, trait, learned_at, ...learned })
        .onConflict((conflict) => conflict.columns(['base_url', 'model', 'trait']).doUpdateSet(learned))
        .execute();
    },
    async remove(scope: string, model: string, trait: string) {
      await db
        .deleteFrom('provider_traits')
        .where('base_url', '=', scope)
        .where('model', '=', model)
        .where('trait', '=', trait)
        .execute();
    },
    async forget(scope: string) {
      await db.deleteFrom('provider_traits').where('base_url', '=', scope).execute();
    },
  };
}

export type RefusalRepository = ReturnType<typeof refusalRepository>;
