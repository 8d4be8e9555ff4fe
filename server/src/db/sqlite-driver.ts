import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { bindable, statementCache } from './statements.ts';

/** So many transactions share a commit at most, so that reading waits no longer than a moment. */
const groupAtMost = 64;

type Member = { resolve: () => void; reject: (error: unknown) => void };
/** `isDue`: the turn of the event loop in which it began is over. */
type Group = { size: number; members: Member[]; isDue: boolean };

/** What a failure of SQLite is to be called. */
type Told = (error: unknown) => unknown;

/**
 * SQLite on this thread, with commits that are shared. A commit waits for the disk, which is most of what a short
 * transaction takes, and keeps the thread from everything else: of two hundred people who press Enter in the same second
 * the last would wait for two hundred. So the transactions of one turn of the event loop are savepoints in one transaction
 * of SQLite: each can be undone alone, and none is told to be done before the commit of all is.
 *
 * A statement outside of a transaction never runs within such a group: it sees what is committed, and nothing else.
 */
export function groupingDriver(database: DatabaseSync, told: Told): Driver {
  const groups = new Groups(database, told);
  return {
    init: async () => undefined,
    acquireConnection: async () => new Connection(groups),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: async (connection) => own(connection).commit(),
    rollbackTransaction: async (connection) => own(connection).undo(),
    releaseConnection: async (connection) => own(connection).undo(),
    async destroy() {
      groups.close();
      database.close();
    },
  };
}

function own(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection is of another database');
}

/** The group of transactions that is open, and what waits for its end. */
class Groups {
  /** The transaction whose statements run now. */
  current: Connection | undefined;
  readonly #database: DatabaseSync;
  readonly #prepare: ReturnType<typeof statementCache>;
  readonly #told: Told;
  #group: Group | undefined;
  readonly #waitingTransactions: (() => void)[] = [];
  readonly #waitingStatements: (() => void)[] = [];

  constructor(database: DatabaseSync, told: Told) {
    this.#database = database;
    this.#prepare = statementCache(database);
    this.#told = told;
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, hasRows } = this.#prepare(sql);
    const values = bindable(parameters);
    try {
      // The row type is the compiler's knowledge of the query, which SQLite does not share.
      if (hasRows) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** A statement outside of a transaction: at once, or when no group is open. */
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

  /** After a failure: SQLite may have undone the whole group by itself. true: it has. */
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
      this.#goOn();
    });
  }

  /** Resolves once the commit of the whole group has. */
  end(): Promise<void> {
    this.#exec('release member');
    this.current = undefined;
    return new Promise((resolve, reject) => {
      this.#group?.members.push({ resolve, reject });
      this.#goOn();
    });
  }

  /** `isGone`: nothing of it is left to undo. */
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
      this.#goOn();
    }
  }

  close() {
    if (this.#group && !this.current) this.#commit();
  }

  #exec(sql: string) {
    try {
      this.#prepare(sql).statement.run();
    } catch (error) {
      throw this.#told(error);
    }
  }

  #open(): Group {
    // Taking the write lock at once: a transaction that reads first, and finds that an operator's command has written
    // since, could write no more, however long it waited.
    this.#exec('begin immediate');
    const opened: Group = { size: 0, members: [], isDue: false };
    setImmediate(() => {
      opened.isDue = true;
      this.#goOn();
    });
    return opened;
  }

  /** Lets the next ones go on, after a transaction or a group has ended. */
  #goOn() {
    while (!this.current) {
      if (this.#group && (this.#group.isDue || this.#group.size >= groupAtMost)) this.#commit();
      // Between two groups, so that transactions that never cease do not keep them waiting for ever.
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

  /** Nothing of the group is kept, and each of its transactions is told why. */
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

  /** Rows taken one by one would keep all others waiting. */
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

  /** Also asked for after a commit that failed, when nothing is left to undo. */
  undo() {
    if (this.#groups.current === this) this.#groups.undo(this.#isUndone);
  }

  #refuseUndone() {
    // Without its transaction each statement would be one of its own.
    if (this.#isUndone) throw new Error('SQLite has undone this transaction after a failure');
  }
}
