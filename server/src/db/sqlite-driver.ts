import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { bindable, statementCache } from './statements.ts';

/** So many transactions share a commit at most, so that reading waits no longer than a moment. */
const groupAtMost = 64;

type Member = { resolve: () => void; reject: (error: unknown) => void };
/** `isDue`: the turn of the event loop in which it began is over. */
type Group = { size: number; members: Member[]; isDue: boolean };

/**
 * SQLite on this thread, with commits that are shared. A commit waits for the disk, which is most of what a short
 * transaction takes, and keeps the thread from everything else: of two hundred people who press Enter in the same second
 * the last would wait for two hundred. So the transactions of one turn of the event loop are savepoints in one transaction
 * of SQLite: each can be undone alone, and none is told to be done before the commit of all is.
 *
 * A statement outside of a transaction never runs within such a group: it sees what is committed, and nothing else.
 */
export function groupingDriver(database: DatabaseSync, watched: <T>(work: () => T) => T): Driver {
  const prepare = statementCache(database);
  const exec = (sql: string) => watched(() => prepare(sql).statement.run());
  let group: Group | undefined;
  /** The transaction whose statements run now. */
  let current: Connection | undefined;
  const waitingTransactions: (() => void)[] = [];
  const waitingStatements: (() => void)[] = [];

  function run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, hasRows } = prepare(sql);
    const values = bindable(parameters);
    // The row type is the compiler's knowledge of the query, which SQLite does not share.
    if (hasRows) return { rows: watched(() => statement.all(...values)) as R[] };
    const { changes, lastInsertRowid } = watched(() => statement.run(...values));
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Lets the next ones go on, after a transaction or a group has ended. */
  function goOn() {
    while (!current) {
      if (group && (group.isDue || group.size >= groupAtMost)) commit();
      // Between two groups, so that transactions that never cease do not keep them waiting for ever.
      if (!group) for (const run of waitingStatements.splice(0)) run();
      const begin = waitingTransactions.shift();
      if (!begin) break;
      begin();
    }
  }

  function commit() {
    const members = group?.members ?? [];
    try {
      exec('commit');
    } catch (error) {
      abandon(error);
      return;
    }
    group = undefined;
    for (const { resolve } of members) resolve();
  }

  /** Nothing of the group is kept, and each of its transactions is told why. */
  function abandon(error: unknown) {
    const members = group?.members ?? [];
    group = undefined;
    for (const { reject } of members) reject(error);
    if (database.isTransaction) exec('rollback');
  }

  function openGroup(): Group {
    // Taking the write lock at once: a transaction that reads first, and finds that an operator's command has written
    // since, could write no more, however long it waited.
    exec('begin immediate');
    const opened = { size: 0, members: [], isDue: false };
    setImmediate(() => {
      opened.isDue = true;
      goOn();
    });
    return opened;
  }

  class Connection implements DatabaseConnection {
    #isUndone = false;

    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (current === this) return this.#runWithin(query);
      if (!current && !group) return run(query);
      return new Promise((resolve, reject) => {
        waitingStatements.push(() => {
          try {
            resolve(run(query));
          } catch (error) {
            reject(error);
          }
        });
      });
    }

    #runWithin<R>(query: CompiledQuery): QueryResult<R> {
      // Without its transaction each statement would be one of its own.
      if (this.#isUndone) throw new Error('SQLite has undone this transaction after a failure');
      try {
        return run(query);
      } catch (error) {
        this.#isUndone = !database.isTransaction;
        if (this.#isUndone) abandon(error);
        throw error;
      }
    }

    /** Rows taken one by one would keep all others waiting. */
    streamQuery(): never {
      throw new Error('Rows are not streamed from SQLite');
    }

    begin(): Promise<void> {
      return new Promise((resolve, reject) => {
        waitingTransactions.push(() => {
          try {
            group ??= openGroup();
            exec('savepoint member');
            group.size++;
            current = this;
            resolve();
          } catch (error) {
            reject(error);
          }
        });
        goOn();
      });
    }

    commit(): Promise<void> {
      if (this.#isUndone) throw new Error('SQLite has undone this transaction after a failure');
      exec('release member');
      current = undefined;
      return new Promise((resolve, reject) => {
        group?.members.push({ resolve, reject });
        goOn();
      });
    }

    /** Also asked for after a commit that failed, when nothing is left to undo. */
    undo() {
      if (current !== this) return;
      current = undefined;
      try {
        if (!this.#isUndone) {
          exec('rollback to member');
          exec('release member');
        }
      } catch (error) {
        abandon(error);
        throw error;
      } finally {
        goOn();
      }
    }
  }

  const own = (connection: DatabaseConnection): Connection => {
    if (connection instanceof Connection) return connection;
    throw new Error('This connection is of another database');
  };

  return {
    init: async () => undefined,
    acquireConnection: async () => new Connection(),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: async (connection) => own(connection).commit(),
    rollbackTransaction: async (connection) => own(connection).undo(),
    releaseConnection: async (connection) => own(connection).undo(),
    async destroy() {
      if (group && !current) commit();
      database.close();
    },
  };
}
