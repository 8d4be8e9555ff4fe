import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../server/src/db/connect.ts';
import { openReader } from '../server/src/db/read-connection.ts';
import type { Database } from '../server/src/db/schema.ts';
import { searchWords } from '../server/src/db/search-words.ts';
import { bindable, statementCache } from '../server/src/db/statements.ts';

export type Query = { sql: string; parameters: readonly unknown[] };

/** A database that is queried without the server, as the floor of a call. */
export type Floor = {
  /** The compiled queries that a piece of the server executes. */
  queriesOf: (work: (db: Kysely<Database>) => Promise<unknown>) => Promise<Query[]>;
  /** The time of the prepared queries alone, from this process: milliseconds for all of them together. */
  timeAlone: (queries: readonly Query[], samples: number) => Promise<number[]>;
};

export function sqliteFloor(file: string): Floor {
  return {
    async queriesOf(work) {
      const reader = openReader(file);
      return capture(reader, work).finally(() => reader.destroy());
    },
    async timeAlone(queries, samples) {
      const database = new DatabaseSync(file, { readOnly: true });
      database.exec('pragma cache_size = -16000; pragma temp_store = memory');
      database.function('search_words', { deterministic: true }, (text) => searchWords(String(text)));
      // One after the other: a later one may use what an earlier one has created.
      const prepare = statementCache(database);
      const asked = queries.map(({ sql, parameters }) => ({ sql, values: bindable(parameters) }));
      const taken = await timed(samples, async () => {
        for (const { sql, values } of asked) prepare(sql).statement.all(...values);
      });
      database.close();
      // Nothing else happened here meanwhile: idle connections that the server has closed are noticed now.
      await wait(50);
      return taken;
    },
  };
}

export function postgresFloor(url: string, folder: string): Floor {
  return {
    async queriesOf(work) {
      const database = openDatabase(url, folder);
      return capture(database.db, work).finally(() => database.close());
    },
    async timeAlone(queries, samples) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const taken = await timed(samples, async () => {
        for (const [index, { sql, parameters }] of queries.entries())
          await client.query({ name: `alone-${index}`, text: sql, values: [...parameters] });
      });
      await client.end();
      return taken;
    },
  };
}

async function capture(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<unknown>): Promise<Query[]> {
  const asked: Query[] = [];
  const listening = db.withPlugin({
    transformQuery({ node, queryId }) {
      asked.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  // Prepared queries bypass the plugins.
  const execute = listening.executeQuery.bind(listening);
  listening.executeQuery = (query, options) => {
    asked.push('sql' in query ? query : query.compile());
    return execute(query, options);
  };
  await work(listening);
  return asked;
}

async function timed(samples: number, ask: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let sample = -5; sample < samples; sample++) {
    const from = performance.now();
    await ask();
    if (sample >= 0) taken.push(performance.now() - from);
  }
  return taken;
}
