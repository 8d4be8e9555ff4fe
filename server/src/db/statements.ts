import type { DatabaseSync, StatementSync } from 'node:sqlite';

type Bindable = null | number | bigint | string | Uint8Array;

export function bindable(values: readonly unknown[]): Bindable[] {
  return values.map((value) => {
    if (value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint')
      return value;
    if (value instanceof Uint8Array) return value;
    throw new TypeError(`A ${typeof value} cannot be stored: columns hold integers, reals and text`);
  });
}

const maxStatements = 400;

type PreparedStatement = { statement: StatementSync; hasRows: boolean };

/**
 * Prepared statements by their text. Preparing costs more than running most of ours, and so does asking a statement for
 * its columns; the limit keeps memory flat.
 */
export function statementCache(database: DatabaseSync) {
  const statements = new Map<string, PreparedStatement>();
  return (sql: string): PreparedStatement => {
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = database.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    const oldest = statements.size >= maxStatements ? statements.keys().next().value : undefined;
    if (oldest !== undefined) statements.delete(oldest);
    statements.set(sql, prepared);
    return prepared;
  };
}
