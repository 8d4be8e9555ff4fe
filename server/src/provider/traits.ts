import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Chore } from '#server/jobs/upkeep';

/** Of the provider itself, whatever the model. */
export const noResponses = 'has no responses';

/** After so long a provider is asked again whether it serves something. */
const keptMs = 30 * 24 * 60 * 60_000;
const rereadEveryMs = 5 * 60_000;

const keyOf = ({ model, trait }: { model: string; trait: string }) => `${model}|${trait}`;

async function readTraits(db: Kysely<Database>, baseUrl: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('provider_traits')
    .select(['model', 'trait'])
    .where('base_url', '=', baseUrl)
    .where('learned_at', '>', new Date(Date.now() - keptMs).toISOString())
    .limit(10_000)
    .execute();
  return new Set(rows.map(keyOf));
}

/**
 * What was learned about the configured provider: calls it does not serve, parameters a model refuses. Kept in the
 * database, so that no process asks twice, and forgotten after a while, because providers change.
 */
export async function loadTraits(db: Kysely<Database>, baseUrl: string) {
  let known = await readTraits(db, baseUrl);

  return {
    has: (model: string, trait: string) => known.has(keyOf({ model, trait })),
    async learn(model: string, trait: string) {
      if (known.has(keyOf({ model, trait }))) return;
      known.add(keyOf({ model, trait }));
      const learned = { value: 'yes', learned_at: new Date().toISOString() };
      await db
        .insertInto('provider_traits')
        .values({ base_url: baseUrl, model, trait, ...learned })
        .onConflict((conflict) => conflict.columns(['base_url', 'model', 'trait']).doUpdateSet(learned))
        .execute();
    },
    /** For what other processes have learned, and what is to be asked again. */
    reread: {
      everyMs: rereadEveryMs,
      run: async () => {
        known = await readTraits(db, baseUrl);
      },
    } satisfies Chore,
  };
}

export type Traits = Omit<Awaited<ReturnType<typeof loadTraits>>, 'reread'>;
