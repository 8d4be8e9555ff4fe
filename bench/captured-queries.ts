import { DatabaseSync } from 'node:sqlite';
import { openReader } from '../server/src/db/reader.ts';
import { bindable } from '../server/src/db/statements.ts';

type Reader = ReturnType<typeof openReader>;
export type Query = { sql: string; parameters: readonly unknown[] };

/** The queries that a piece of the server asks, as they are compiled. */
export async function queriesOf(file: string, work: (db: Reader) => Promise<unknown>): Promise<Query[]> {
  const reader = openReader(file);
  const asked: Query[] = [];
  const listening = reader.withPlugin({
    transformQuery({ node, queryId }) {
      asked.push(reader.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  // Those that are compiled once pass by the plugins.
  const execute = listening.executeQuery.bind(listening);
  listening.executeQuery = (query, options) => {
    asked.push('sql' in query ? query : query.compile());
    return execute(query, options);
  };
  await work(listening);
  await reader.destroy();
  return asked;
}

/** How long the queries alone take, prepared, in this process: milliseconds for all of them together. */
export function timeAlone(file: string, queries: readonly Query[], samples: number): number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec('pragma cache_size = -16000; pragma temp_store = memory');
  const prepared = queries.map(({ sql, parameters }) => ({
    statement: database.prepare(sql),
    values: bindable(parameters),
  }));
  const taken: number[] = [];
  for (let sample = -5; sample < samples; sample++) {
    const from = performance.now();
    for (const { statement, values } of prepared) statement.all(...values);
    if (sample >= 0) taken.push(performance.now() - from);
  }
  database.close();
  return taken;
}
