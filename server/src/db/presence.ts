import { dirname } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { version } from '#server/lib/version';
import type { OpenDatabase } from './connect.ts';
import { isFolderInUse } from './folder-lock.ts';
import type { Database } from './schema.ts';
import { reconnectedWithinMs, signalConnection } from './signal-connection.ts';

/** Messages between processes on one database; ids only, since receivers reread the rows. */
export type Signal = { eventsOf: number[] } | { stop: number } | { askAgain: number };

/**
 * This process among those that share the database. With SQLite there is only one, ensured by the folder's lock. With
 * PostgreSQL each holds an advisory lock under its number, which the database releases when its connection ends, even
 * in a crash: a process that can take that lock knows that the process is dead.
 */
export type Presence = {
  instance: number;
  send: (signal: Signal) => void;
  listen: (listener: (signal: Signal) => void) => void;
  /** Returns false after a database outage while processes may still be reconnecting. */
  isGone: (instance: number) => Promise<boolean>;
  leave: () => Promise<void>;
};

const lockSpace = 7_260_419;
const channel = 'roster';
/** NOTIFY carries at most 8,000 bytes. */
const idsPerSignal = 700;

/** The number of running servers on this database; with SQLite use the folder's lock instead. */
export async function countServers(database: Pick<OpenDatabase, 'engine' | 'db'>): Promise<number> {
  if (database.engine === 'sqlite') return 0;
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
    where locktype = 'advisory' and granted and classid = ${sql.lit(lockSpace)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`.execute(database.db);
  return rows[0]?.count ?? 0;
}

const maxListed = 50;

/** The running servers on this database, newest first. With SQLite there is at most one. */
export async function listServers({ engine, db, file }: Pick<OpenDatabase, 'engine' | 'db' | 'file'>) {
  const newest = db.selectFrom('instances').select(['id', 'started_at as startedAt', 'version']).orderBy('id', 'desc');
  if (engine === 'sqlite') return file && isFolderInUse(dirname(file)) ? newest.limit(1).execute() : [];
  return newest
    .where(
      sql<boolean>`exists (select 1 from pg_locks where locktype = 'advisory' and granted and objid = instances.id
        and classid = ${sql.lit(lockSpace)} and objsubid = 2
        and database = (select oid from pg_database where datname = current_database()))`,
    )
    .limit(maxListed)
    .execute();
}

/** `url`: for a session of PostgreSQL itself, which a pooler of transactions does not provide. */
export async function joinInstances(
  database: OpenDatabase,
  url: string | undefined,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const { id } = await database.db
    .insertInto('instances')
    .values({ started_at: new Date().toISOString(), version })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (!url) return singleProcess(database.db, id);
  return multiProcess(database.db, url, id, onProblem);
}

function singleProcess(db: Kysely<Database>, instance: number): Presence {
  return {
    instance,
    send: () => undefined,
    listen: () => undefined,
    isGone: async (other) => other !== instance,
    leave: () => forget(db, instance),
  };
}

async function multiProcess(
  db: Kysely<Database>,
  url: string,
  instance: number,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const listeners: ((signal: Signal) => void)[] = [];
  const joinedAt = (await hasJustStarted(db)) ? performance.now() : Number.NEGATIVE_INFINITY;
  const connection = await signalConnection({
    url,
    begin: { text: 'select pg_advisory_lock($1, $2)', values: [lockSpace, instance] },
    channel,
    onMessage(payload) {
      const signal: Signal = JSON.parse(payload);
      for (const listener of listeners) listener(signal);
    },
    onProblem,
  });
  const areAllBack = () => performance.now() - (connection.since() ?? joinedAt) > reconnectedWithinMs;

  return {
    instance,
    send(signal) {
      for (const part of splitSignal(signal)) void notify(db, part).catch(onProblem);
    },
    listen: (listener) => listeners.push(listener),
    isGone: async (other) =>
      other !== instance && (areAllBack() || (await hasLeft(db, other))) && (await isFree(db, other)),
    /** If it fails to leave in order, the others notice by its lock. */
    async leave() {
      await forget(db, instance).catch(onProblem);
      await connection.close();
    },
  };
}

const notify = (db: Kysely<Database>, signal: Signal) =>
  sql`select pg_notify(${channel}, ${JSON.stringify(signal)})`.execute(db);

function splitSignal(signal: Signal): Signal[] {
  if (!('eventsOf' in signal)) return [signal];
  const { eventsOf } = signal;
  return Array.from({ length: Math.ceil(eventsOf.length / idsPerSignal) }, (_, part) => ({
    eventsOf: eventsOf.slice(part * idsPerSignal, (part + 1) * idsPerSignal),
  }));
}

/** The lock is held for this one statement only, so that the query itself blocks nobody. */
async function isFree(db: Kysely<Database>, instance: number): Promise<boolean> {
  const { rows } = await sql<{
    free: boolean;
  }>`select pg_try_advisory_xact_lock(${lockSpace}, ${instance}) as free`.execute(db);
  return rows[0]?.free === true;
}

/**
 * True if this PostgreSQL was started or promoted moments ago. For a former standby only the time of the last
 * transaction from the old primary is known, whose failure may have been noticed late.
 */
async function hasJustStarted(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select pg_postmaster_start_time() > now() - interval '10 seconds'
    or coalesce(pg_last_xact_replay_timestamp() > now() - interval '2 minutes', false) as has`.execute(db);
  return rows[0]?.has === true;
}

/** True if it left in order or never existed. */
async function hasLeft(db: Kysely<Database>, instance: number): Promise<boolean> {
  const row = await db.selectFrom('instances').select('id').where('id', '=', instance).executeTakeFirst();
  return row === undefined;
}

async function forget(db: Kysely<Database>, instance: number) {
  await db.deleteFrom('instances').where('id', '=', instance).execute();
}
