import { type CompiledQuery, type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/** Stands in a compiled query where a value comes when it is asked. */
class Place {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** A value, or the place of one: for what is put into both kinds of queries. */
export type Operand<Value> = Value | RawBuilder<Value>;

/** The place of a named value, to be put wherever a value can stand. */
export type Params<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** A query of Kysely's, or one written out. */
type Query<Row> = { compile(database: QueryExecutorProvider): CompiledQuery<Row> };

/**
 * A query that is built and compiled once for a database, and asked with other values each time. Building one with
 * Kysely takes longer than SQLite takes to answer it: worth it for those that every message asks, not for the rest.
 */
export function prepared<Values extends object, Row>(build: (db: Kysely<Database>, at: Params<Values>) => Query<Row>) {
  type Own = Place & { name: keyof Values };
  const isPlace = (value: unknown): value is Own => value instanceof Place;
  // Each database has an adapter of its own, which its transactions share.
  const compiled = new WeakMap<object, CompiledQuery<Row>>();

  function withValues(db: Kysely<Database>, values: Values): CompiledQuery<Row> {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (!query) {
      // Plugins see queries with their values; there are none in the product.
      const plain = db.withoutPlugins();
      query = build(plain, (name) => sql`${new Place(name)}`).compile(plain);
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
    /** How many rows were changed. */
    async changed(db: Kysely<Database>, values: Values): Promise<number> {
      return Number((await db.executeQuery(withValues(db, values))).numAffectedRows ?? 0n);
    },
  };
}
