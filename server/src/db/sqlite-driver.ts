import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { bindable, statementCache } from './statements.ts';

/** Maximum number of transactions that share a commit, so that readers wait only briefly. */
const maxGroupSize = 64;

type Member = { resolve: () => void; reject: (error: unknown) => void };
/** `isDue`: the event loop turn in which it started is over. */
type Group = { size: number; members: Member[]; isDue: boolean };

/** Maps an SQLite error to the one to throw. */
type MapError = (error: unknown) => unknown;

/**
 * SQLite on this thread, with group commit. A commit waits for the disk, which is most of a short transaction's time,
 * and blocks the thread: of two hundred people who press Enter in the same second the last would wait for two hundred
 * commits. So the transactions of one event loop turn are savepoints in one SQLite transaction: each can roll back
 * alone, and none is reported as committed before the group is.
 *
 * A statement outside a transaction never runs inside a group: it sees committed data only.
 */
export function groupingDriver(database: DatabaseSync, mapError: MapError): Driver {
  const groups = new Groups(database, mapError);
  return {
    init: async () => undefined,
    acquireConnection: async () => new Connection(groups),
    beginTransaction: (connection) => ownConnection(connection).begin(),
    commitTransaction: async (connection) => ownConnection(connection).commit(),
    rollbackTransaction: async (connection) => ownConnection(connection).undo(),
    releaseConnection: async (connection) => ownConnection(connection).undo(),
    async destroy() {
      groups.close();
      database.close();
    },
  };
}

function ownConnection(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection is of another database');
}

/** The open group of transactions, and the queue behind it. */
class Groups {
  /** The transaction whose statements run now. */
  current: Connection | undefined;
  readonly #database: DatabaseSync;
  readonly #prepare: ReturnType<typeof statementCache>;
  readonly #mapError: MapError;
  #group: Group | undefined;
  readonly #waitingTransactions: (() => void)[] = [];
  readonly #waitingStatements: (() => void)[] = [];

  constructor(database: DatabaseSync, mapError: MapError) {
    this.#database = database;
    this.#prepare = statementCache(database);
    this.#mapError = mapError;
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, hasRows } = this.#prepare(sql);
    const values = bindable(parameters);
    try {
      // The compiler derives the row type from the query; SQLite does not know it.
      if (hasRows) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw this.#mapError(error);
    }
  }

  /** Runs a statement outside a transaction: at once if no group is open, otherwise after it. */
  runOutside<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>> {
    if (!this.current && !this.#group) return this.run(query);
    return new Promise((resolve, reject) => {
      this.#waitingStatements.push(() => {
        try {
          resolve(this.run(query));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Call after a failure: SQLite may have rolled back the whole group by itself. true: it has. */
  abandonIfUndone(error: unknown): boolean {
    if (this.#database.isTransaction) return false;
    this.#abandon(error);
    return true;
  }

  begin(member: Connection): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waitingTransactions.push(() => {
        try {
          this.#group ??= this.#open();
          this.#exec('savepoint member');
          this.#group.size++;
          this.current = member;
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      this.#resume();
    });
  }

  /** Resolves once the whole group is committed. */
  end(): Promise<void> {
    this.#exec('release member');
    this.current = undefined;
    return new Promise((resolve, reject) => {
      this.#group?.members.push({ resolve, reject });
      this.#resume();
    });
  }

  /** `isGone`: nothing is left to roll back. */
  undo(isGone: boolean) {
    this.current = undefined;
    try {
      if (!isGone) {
        this.#exec('rollback to member');
        this.#exec('release member');
      }
    } catch (error) {
      this.#abandon(error);
      throw error;
    } finally {
      this.#resume();
    }
  }

  close() {
    if (this.#group && !this.current) this.#commit();
  }

  #exec(sql: string) {
    try {
      this.#prepare(sql).statement.run();
    } catch (error) {
      throw this.#mapError(error);
    }
  }

  #open(): Group {
    // Take the write lock at once: a transaction that reads first, while an operator's command writes, could never
    // write afterwards.
    this.#exec('begin immediate');
    const opened: Group = { size: 0, members: [], isDue: false };
    setImmediate(() => {
      opened.isDue = true;
      this.#resume();
    });
    return opened;
  }

  /** Starts the next waiting transactions after one, or a group, has ended. */
  #resume() {
    while (!this.current) {
      if (this.#group && (this.#group.isDue || this.#group.size >= maxGroupSize)) this.#commit();
      // Between two groups, so that continuous transactions cannot starve them.
      if (!this.#group) for (const run of this.#waitingStatements.splice(0)) run();
      const begin = this.#waitingTransactions.shift();
      if (!begin) break;
      begin();
    }
  }

  #commit() {
    const members = this.#group?.members ?? [];
    try {
      this.#exec('commit');
    } catch (error) {
      this.#abandon(error);
      return;
    }
    this.#group = undefined;
    for (const { resolve } of members) resolve();
  }

  /** Rolls back the whole group and rejects each of its transactions. */
  #abandon(error: unknown) {
    const members = this.#group?.members ?? [];
    this.#group = undefined;
    for (const { reject } of members) reject(error);
    if (this.#database.isTransaction) this.#exec('rollback');
  }
}

class Connection implements DatabaseConnection {
  readonly #groups: Groups;
  #isUndone = false;

  constructor(groups: Groups) {
    this.#groups = groups;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#groups.current !== this) return this.#groups.runOutside(query);
    this.#refuseUndone();
    try {
      return this.#groups.run(query);
    } catch (error) {
      this.#isUndone = this.#groups.abandonIfUndone(error);
      throw error;
    }
  }

  /** Streaming rows would block everybody else. */
  streamQuery(): never {
    throw new Error('Rows are not streamed from SQLite');
  }

  begin(): Promise<void> {
    return this.#groups.begin(this);
  }

  commit(): Promise<void> {
    this.#refuseUndone();
    return this.#groups.end();
  }

  /** Kysely also calls this after a failed commit, when nothing is left to roll back. */
  undo() {
    if (this.#groups.current === this) this.#groups.undo(this.#isUndone);
  }

  #refuseUndone() {
    // Without its transaction each statement would commit separately.
    if (this.#isUndone) throw new Error('SQLite has undone this transaction after a failure');
  }
}
