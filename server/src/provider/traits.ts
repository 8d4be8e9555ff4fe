import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Of the provider itself, whatever the model. */
export const noResponses = 'has no responses';

/**
 * What was learned about the configured provider: calls it does not serve, parameters a model refuses. Kept in the
 * database, so that no process asks twice, and read again after a while, because providers change.
 */
export async function loadTraits(db: Kysely<Database>, baseUrl: string) {
  const known = new Map<string, string>();
  const key = (model: string, trait: string) => `${model}|${trait}`;
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const rows = await db
    .selectFrom('provider_traits')
    .selectAll()
    .where('base_url', '=', baseUrl)
    .where('learned_at', '>', monthAgo)
    .limit(10_000)
    .execute();
  for (const row of rows) known.set(key(row.model, row.trait), row.value);

  return {
    has: (model: string, trait: string) => known.has(key(model, trait)),
    async learn(model: string, trait: string) {
      if (known.has(key(model, trait))) return;
      known.set(key(model, trait), 'yes');
      const learned = { value: 'yes', learned_at: new Date().toISOString() };
      await db
        .insertInto('provider_traits')
        .values({ base_url: baseUrl, model, trait, ...learned })
        .onConflict((conflict) => conflict.columns(['base_url', 'model', 'trait']).doUpdateSet(learned))
        .execute();
    },
  };
}

export type Traits = Awaited<ReturnType<typeof loadTraits>>;
