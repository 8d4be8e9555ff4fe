import { dirname } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { version } from '#server/lib/version';
import type { OpenDatabase } from './connect.ts';
import { isFolderInUse } from './folder-lock.ts';
import type { Database } from './schema.ts';
import { backWithinMs, signalConnection } from './signal-connection.ts';

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
  /** Nobody is taken for gone because the database was, and not all are connected to it again. */
  isGone: (instance: number) => Promise<boolean>;
  leave: () => Promise<void>;
};

const lockSpace = 7_260_419;
const channel = 'roster';
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

const listedAtMost = 50;

/** The servers that are alive on this database, the newest first. On SQLite there is one at most. */
export async function processesOn({ engine, db, file }: Pick<OpenDatabase, 'engine' | 'db' | 'file'>) {
  const newest = db.selectFrom('instances').select(['id', 'started_at as startedAt', 'version']).orderBy('id', 'desc');
  if (engine === 'sqlite') return file && isFolderInUse(dirname(file)) ? newest.limit(1).execute() : [];
  return newest
    .where(
      sql<boolean>`exists (select 1 from pg_locks where locktype = 'advisory' and granted and objid = instances.id
        and classid = ${sql.lit(lockSpace)} and objsubid = 2
        and database = (select oid from pg_database where datname = current_database()))`,
    )
    .limit(listedAtMost)
    .execute();
}

/** `url`: a session of PostgreSQL's own, which a pooler of transactions does not give. */
export async function join(
  database: OpenDatabase,
  url: string | undefined,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const { id } = await database.db
    .insertInto('instances')
    .values({ started_at: new Date().toISOString(), version })
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
    leave: () => forget(db, instance),
  };
}

async function amongOthers(
  db: Kysely<Database>,
  url: string,
  instance: number,
  onProblem: (error: unknown) => void,
): Promise<Presence> {
  const listeners: ((signal: Signal) => void)[] = [];
  const joinedAt = (await hasJustCome(db)) ? performance.now() : Number.NEGATIVE_INFINITY;
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
  const areAllBack = () => performance.now() - (connection.since() ?? joinedAt) > backWithinMs;

  return {
    instance,
    send(signal) {
      for (const part of inParts(signal)) void notify(db, part).catch(onProblem);
    },
    listen: (listener) => listeners.push(listener),
    isGone: async (other) =>
      other !== instance && (areAllBack() || (await hasLeft(db, other))) && (await isFree(db, other)),
    /** What it cannot leave in order, the others find out by its lock. */
    async leave() {
      await forget(db, instance).catch(onProblem);
      await connection.close();
    },
  };
}

const notify = (db: Kysely<Database>, signal: Signal) =>
  sql`select pg_notify(${channel}, ${JSON.stringify(signal)})`.execute(db);

function inParts(signal: Signal): Signal[] {
  if ('stop' in signal) return [signal];
  const { eventsOf } = signal;
  return Array.from({ length: Math.ceil(eventsOf.length / idsPerSignal) }, (_, part) => ({
    eventsOf: eventsOf.slice(part * idsPerSignal, (part + 1) * idsPerSignal),
  }));
}

/** Held only for this one statement's transaction, so that the question itself keeps nothing. */
async function isFree(db: Kysely<Database>, instance: number): Promise<boolean> {
  const { rows } = await sql<{
    free: boolean;
  }>`select pg_try_advisory_xact_lock(${lockSpace}, ${instance}) as free`.execute(db);
  return rows[0]?.free === true;
}

/**
 * Whether this PostgreSQL was started, or became the primary, a moment ago. Of what was a standby it is known when the last
 * transaction came to it from the primary before, whose being gone may have been noticed late.
 */
async function hasJustCome(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select pg_postmaster_start_time() > now() - interval '10 seconds'
    or coalesce(pg_last_xact_replay_timestamp() > now() - interval '2 minutes', false) as has`.execute(db);
  return rows[0]?.has === true;
}

/** It left in order, or its number was never given. */
async function hasLeft(db: Kysely<Database>, instance: number): Promise<boolean> {
  const row = await db.selectFrom('instances').select('id').where('id', '=', instance).executeTakeFirst();
  return row === undefined;
}

async function forget(db: Kysely<Database>, instance: number) {
  await db.deleteFrom('instances').where('id', '=', instance).execute();
}
