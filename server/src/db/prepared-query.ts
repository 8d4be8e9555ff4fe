import { type CompiledQuery, type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/** A placeholder in a compiled query for a value given at execution. */
class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** A value or its placeholder, for expressions shared by both kinds of queries. */
export type Operand<Value> = Value | RawBuilder<Value>;

/** Returns the placeholder of a named value, usable wherever a value can be. */
export type Params<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** A Kysely query builder or raw SQL. */
type Query<Row> = { compile(database: QueryExecutorProvider): CompiledQuery<Row> };

/**
 * A query that is built and compiled once per database, and executed with different values. Building one with Kysely
 * takes longer than SQLite needs to answer it: worth it for queries of every message, not for the rest.
 */
export function prepared<Values extends object, Row>(build: (db: Kysely<Database>, at: Params<Values>) => Query<Row>) {
  type Own = Placeholder & { name: keyof Values };
  const isPlace = (value: unknown): value is Own => value instanceof Placeholder;
  // Each database has its own adapter, shared by its transactions.
  const compiled = new WeakMap<object, CompiledQuery<Row>>();

  function withValues(db: Kysely<Database>, values: Values): CompiledQuery<Row> {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      // Plugins see queries with their values; the product has none.
      const plain = db.withoutPlugins();
      query = build(plain, (name) => sql`${new Placeholder(name)}`).compile(plain);
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((value) => (isPlace(value) ? values[value.name] : value));
    return { ...query, parameters };
  }

  return {
    async all(db: Kysely<Database>, values: Values): Promise<Row[]> {
      return (await db.executeQuery(withValues(db, values))).rows;
    },
    async first(db: Kysely<Database>, values: Values): Promise<Row | undefined> {
      return (await db.executeQuery(withValues(db, values))).rows[0];
    },
    /** Returns the number of changed rows. */
    async changed(db: Kysely<Database>, values: Values): Promise<number> {
      return Number((await db.executeQuery(withValues(db, values))).numAffectedRows ?? 0n);
    },
  };
}
