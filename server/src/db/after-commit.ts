import type { DatabaseConnection, Dialect, Driver, Kysely } from 'kysely';
import type { Database } from './schema.ts';

/** What is to be done after the commit, by the connection that the transaction has. */
const waiting = new WeakMap<DatabaseConnection, (() => void)[]>();

/** Does `work` once the transaction is committed, and never where it is undone; at once where `rows` is no transaction. */
export async function afterCommit(rows: Kysely<Database>, work: () => void) {
  if (!rows.isTransaction) return work();
  await rows.getExecutor().provideConnection(async (connection) => {
    const list = waiting.get(connection);
    if (!list) throw new Error('This database was opened without what is done after a commit');
    list.push(work);
  });
}

/** The same dialect, with what afterCommit() promises. */
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
