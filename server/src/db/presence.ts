import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { OpenDatabase } from './connect.ts';
import type { Database } from './schema.ts';

/** What processes on one database tell each other; ids only, the rows are read again. */
export type Signal = { eventsOf: number[] } | { stop: number };

/**
 * This process among those that share the database. On SQLite there is only one, held so by the folder's lock. On
 * PostgreSQL each holds an advisory lock under its number, which the database releases when its connection ends,
 * however it ends: a process that can take it knows that the other one is gone.
 */
export type Presence = {
  instance: number;
  send: (signal: Signal) => void;
  listen: (listener: (signal: Signal) => void) => void;
  isGone: (instance: number) => Promise<boolean>;
  leave: () => Promise<void>;
};

const lockSpace = 7_260_419;
const channel = 'roster';
const reconnectMs = 1_000;
/** NOTIFY carries at most 8,000 bytes. */
const idsPerSignal = 700;

/** How many servers share this database at the moment; on SQLite the folder's lock answers that. */
export async function serversOn(database: Pick<OpenDatabase, 'engine' | 'db'>): Promise<number> {
  if (database.engine === 'sqlite') return 0;
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
    where locktype = 'advisory' and granted and classid = ${sql.lit(lockSpace)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`.execute(database.db);
  return rows[0]?.count ?? 0;
}

export async function join(
  database: OpenDatabase,
  url: string | undefined,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const { id } = await database.db
    .insertInto('instances')
    .values({ started_at: new Date().toISOString() })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (!url) return alone(database.db, id);
  return amongOthers(database.db, url, id, onProblem);
}

function alone(db: Kysely<Database>, instance: number): Presence {
  return {
    instance,
    send: () => undefined,
    listen: () => undefined,
    isGone: async (other) => other !== instance,
    leave: async () => {
      await db.deleteFrom('instances').where('id', '=', instance).execute();
    },
  };
}

async function amongOthers(
  db: Kysely<Database>,
  url: string,
  instance: number,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const listeners: ((signal: Signal) => void)[] = [];
  let left = false;
  let client = await connectOnce();

  async function connectOnce(): Promise<pg.Client> {
    const { Client } = (await import('pg')).default;
    const connected = new Client({ connectionString: url, keepAlive: true });
    connected.on('notification', ({ payload }) => {
      const signal: Signal = JSON.parse(payload ?? '{}');
      for (const listener of listeners) listener(signal);
    });
    connected.on('error', onProblem);
    await connected.connect();
    await connected.query('select pg_advisory_lock($1, $2)', [lockSpace, instance]);
    await connected.query(`listen ${channel}`);
    connected.once('end', () => void reconnect());
    return connected;
  }

  /** Without the connection the others take this process for gone, so it is made again until it stands. */
  async function reconnect() {
    while (!left) {
      try {
        client = await connectOnce();
        return;
      } catch (error) {
        onProblem(error);
        await new Promise((resolve) => setTimeout(resolve, reconnectMs));
      }
    }
  }

  const notify = (signal: Signal) =>
    sql`select pg_notify(${channel}, ${JSON.stringify(signal)})`.execute(db).catch(onProblem);

  return {
    instance,
    send(signal) {
      if ('stop' in signal) void notify(signal);
      else
        for (let from = 0; from < signal.eventsOf.length; from += idsPerSignal)
          void notify({ eventsOf: signal.eventsOf.slice(from, from + idsPerSignal) });
    },
    listen: (listener) => listeners.push(listener),
    async isGone(other) {
      if (other === instance) return false;
      // Held only for this one statement's transaction, so that the question itself keeps nothing.
      const { rows } = await sql<{
        free: boolean;
      }>`select pg_try_advisory_xact_lock(${lockSpace}, ${other}) as free`.execute(db);
      return rows[0]?.free === true;
    },
    async leave() {
      left = true;
      await db.deleteFrom('instances').where('id', '=', instance).execute();
      await client.end();
    },
  };
}
