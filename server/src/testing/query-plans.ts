import { CompiledQuery, type Kysely } from 'kysely';
import type { Engine } from '#server/db/connect';
import type { Database } from '#server/db/schema';

/** The database's plan for each query that `work` executes. */
export async function plansOf(
  db: Kysely<Database>,
  work: (db: Kysely<Database>) => Promise<unknown>,
  engine: Engine = 'sqlite',
): Promise<string[]> {
  const executor = db.getExecutor();
  const plans: Promise<string>[] = [];
  const explain = engine === 'sqlite' ? 'explain query plan' : 'explain';
  function note({ sql, parameters }: CompiledQuery) {
    const explained = CompiledQuery.raw(`${explain} ${sql}`, [...parameters]);
    const plan = db.executeQuery<{ detail: string } | { 'QUERY PLAN': string }>(explained);
    plans.push(plan.then(({ rows }) => rows.map((r) => ('detail' in r ? r.detail : r['QUERY PLAN'])).join('\n')));
  }
  const listening = db.withPlugin({
    transformQuery({ node, queryId }) {
      note(executor.compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  // Prepared queries bypass the plugins.
  const execute = listening.executeQuery.bind(listening);
  listening.executeQuery = (query, options) => {
    note('sql' in query ? query : query.compile());
    return execute(query, options);
  };
  await work(listening);
  return Promise.all(plans);
}
