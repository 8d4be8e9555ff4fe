import type { DatabaseConnection, Dialect, Driver, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** Work to do after the commit, by the transaction's connection. */
const waiting = new WeakMap<DatabaseConnection, (() => void)[]>();

/** Runs `work` after the transaction commits, never if it rolls back; immediately if `rows` is not a transaction. */
export async function afterCommit(rows: Kysely<Database>, work: () => void) {
  if (!rows.isTransaction) return work();
  await rows.getExecutor().provideConnection(async (connection) => {
    const list = waiting.get(connection);
    if (!list) throw new Error('This database was opened without support for afterCommit()');
    list.push(work);
  });
}

/** The same dialect with support for afterCommit(). */
export const withAfterCommit = (dialect: Dialect): Dialect => ({
  ...dialect,
  createDriver: () => goingOn(dialect.createDriver()),
});

function goingOn(driver: Driver): Driver {
  const begin = driver.beginTransaction.bind(driver);
  const commit = driver.commitTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  driver.beginTransaction = async (connection, settings) => {
    await begin(connection, settings);
    waiting.set(connection, []);
  };
  driver.commitTransaction = async (connection) => {
    await commit(connection);
    const list = waiting.get(connection) ?? [];
    waiting.delete(connection);
    for (const work of list) work();
  };
  driver.rollbackTransaction = async (connection) => {
    waiting.delete(connection);
    await rollback(connection);
  };
  return driver;
}
