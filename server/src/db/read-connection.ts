import { Worker } from 'node:worker_threads';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from './schema.ts';

export type ReaderRequest = { id: number; sql: string; parameters: readonly unknown[] };
export type ReaderResponse = { id: number; rows: unknown[] } | { id: number; error: string };

/**
 * A second, read-only connection to the SQLite file on a separate thread, for queries that may take longer than a few
 * milliseconds: SQLite is synchronous, and on the main thread every open stream would stutter.
 */
export function openReader(file: string): Kysely<Database> {
  return new Kysely<Database>({ dialect: readerDialect(file) });
}

function readerDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => readerDriver(file),
  };
}

function readerDriver(file: string): Driver {
  type Pending = { resolve: (rows: unknown[]) => void; reject: (error: Error) => void };
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let nextId = 1;

  function start(): Worker {
    const started = new Worker(new URL('./read-worker.ts', import.meta.url), { workerData: file });
    started.unref();
    started.on('message', (answer: ReaderResponse) => {
      const question = pending.get(answer.id);
      pending.delete(answer.id);
      if ('error' in answer) question?.reject(new Error(answer.error));
      else question?.resolve(answer.rows);
    });
    started.on('error', (cause) => {
      worker = undefined;
      for (const { reject } of pending.values()) reject(new Error('The reading thread ended', { cause }));
      pending.clear();
    });
    return started;
  }

  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      worker ??= start();
      const thread = worker;
      const id = nextId++;
      const rows = await new Promise<unknown[]>((resolve, reject) => {
        pending.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, sql, parameters } satisfies ReaderRequest);
      }).finally(() => {
        if (pending.size === 0) thread.unref();
      });
      // The compiler derives the row type from the query; it does not cross the thread.
      return { rows: rows as R[] };
    },
    streamQuery() {
      throw new Error('The reading thread does not stream');
    },
  };
  const refuse = () => Promise.reject(new Error('The reading thread has no transactions'));

  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    async destroy() {
      await worker?.terminate();
    },
  };
}
