import { type Kysely, sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { readyDatabase } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { startNetworkLink } from '#server/testing/network-link';
import { ownTime } from '#server/testing/process-clock';
import { openDatabase } from './connect.ts';
import { joinInstances, type Signal } from './presence.ts';
import type { Database } from './schema.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function aDatabase(engine: 'sqlite' | 'postgres') {
  const { dataDir, url, remove } = await readyDatabase(engine);
  cleanUp.push(remove);
  /** A process of the installation as the others see it. */
  async function aProcess(signalsBy = url) {
    const database = openDatabase(url, dataDir);
    cleanUp.push(() => database.close());
    const problems: unknown[] = [];
    const presence = await joinInstances(database, signalsBy, (problem) => problems.push(problem));
    let isThere = true;
    async function leave() {
      if (isThere) await presence.leave();
      isThere = false;
    }
    cleanUp.push(leave);
    const heard: Signal[] = [];
    presence.listen((signal) => heard.push(signal));
    return { ...presence, db: database.db, heard, problems, leave };
  }
  return { aProcess, url };
}

const cutSignals = (db: Kysely<Database>) =>
  sql`select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`.execute(db);

describe('processes on one PostgreSQL', () => {
  test('have distinct numbers and hear each other', async () => {
    const { aProcess } = await aDatabase('postgres');
    const [first, second] = [await aProcess(), await aProcess()];
    expect(first.instance).not.toBe(second.instance);
    first.send({ stop: 7 });
    first.send({ eventsOf: [1, 2, 3] });
    await until('The signals', async () => second.heard.length === 2);
    expect(second.heard).toContainEqual({ stop: 7 });
    expect(second.heard).toContainEqual({ eventsOf: [1, 2, 3] });
  });

  test('deliver a signal that is too long for one notification', async () => {
    const { aProcess } = await aDatabase('postgres');
    const [first, second] = [await aProcess(), await aProcess()];
    const ids = Array.from({ length: 3_000 }, (_, index) => 2_147_400_000 + index);
    first.send({ eventsOf: ids });
    const heard = () => second.heard.flatMap((signal) => ('eventsOf' in signal ? signal.eventsOf : []));
    await until('All ids', async () => heard().length === ids.length);
    expect(heard().toSorted((a, b) => a - b)).toEqual(ids);
    expect(first.problems).toEqual([]);
  });

  test('know which processes are alive and which are dead', async () => {
    const { aProcess } = await aDatabase('postgres');
    const [first, second, third] = [await aProcess(), await aProcess(), await aProcess()];
    const seen = (by: typeof first) => Promise.all([first, second, third].map(({ instance }) => by.isGone(instance)));
    expect(await seen(first)).toEqual([false, false, false]);
    expect(await seen(third)).toEqual([false, false, false]);
    await second.leave();
    expect(await seen(first)).toEqual([false, true, false]);
    expect(await seen(third)).toEqual([false, true, false]);
    expect(await first.isGone(999_999)).toBe(true);
    // The query takes no lock: the result stays the same.
    expect(await Promise.all(Array.from({ length: 5 }, () => first.isGone(third.instance)))).toEqual(
      Array(5).fill(false),
    );
    expect(await first.db.selectFrom('instances').select('id').orderBy('id').execute()).toEqual([
      { id: first.instance },
      { id: third.instance },
    ]);
  });

  test('reconnect after their connection was cut', async () => {
    const { aProcess } = await aDatabase('postgres');
    const [first, second] = [await aProcess(), await aProcess()];
    for (let time = 0; time < 3; time++) {
      const { rows } = await sql<{ cut: boolean }>`select pg_terminate_backend(l.pid) as cut
        from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and l.objid = ${first.instance} and d.datname = current_database()`.execute(
        second.db,
      );
      expect(rows).toEqual([{ cut: true }]);
      await until('The return', async () => !(await second.isGone(first.instance)));
      first.heard.length = 0;
      await until('A signal that arrives', async () => {
        second.send({ stop: 1 });
        return first.heard.length > 0;
      });
    }
    expect(first.problems.length).toBeGreaterThan(0);
  });
});

describe('after a database outage', () => {
  test('does not treat a reconnecting process as dead', async () => {
    const { aProcess, url = '' } = await aDatabase('postgres');
    const { hostname, port, host } = new URL(url);
    const line = await startNetworkLink({ host: hostname, port: Number(port) });
    cleanUp.push(line.close);
    const first = await aProcess();
    const late = await aProcess(url.replace(host, `127.0.0.1:${line.port}`));
    line.set('refuse');
    await cutSignals(first.db);
    await until('The cut', async () => first.problems.length > 0 && late.problems.length > 0);
    await until('The first one', async () => !(await late.isGone(first.instance)));
    expect(await first.isGone(late.instance)).toBe(false);
    // A process that left in order is dead all the same.
    expect(await first.isGone(999_999)).toBe(true);
    line.set('open');
    await until('A signal that arrives', async () => {
      first.send({ stop: 1 });
      return late.heard.length > 0;
    });
    expect(await first.isGone(late.instance)).toBe(false);
  });

  test('does not treat any process as dead when it starts right after the database', async () => {
    const { aProcess } = await aDatabase('postgres');
    const old = await aProcess();
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(old.db);
    await sql`create function public.pg_last_xact_replay_timestamp() returns timestamptz language sql as 'select now()'`.execute(
      old.db,
    );
    await sql`alter database ${sql.id(rows[0]?.name ?? '')} set search_path = public, pg_catalog`.execute(old.db);
    await sql`insert into instances (id, started_at) values (4711, 'of a process that was killed')`.execute(old.db);
    const fresh = await aProcess();
    expect(await fresh.isGone(4711)).toBe(false);
    await until('The end of waiting', () => fresh.isGone(4711));
    expect(await fresh.isGone(old.instance)).toBe(false);
  });
});

describe('process with a silent connection to PostgreSQL', () => {
  /** Its signals use a connection that can be cut; its queries do not. */
  async function aProcessOnALine() {
    const { dataDir, url, remove } = await readyDatabase('postgres');
    cleanUp.push(remove);
    const direct = new URL(url ?? '');
    const line = await startNetworkLink({ host: direct.hostname, port: Number(direct.port) });
    cleanUp.push(line.close);
    const database = openDatabase(url, dataDir);
    cleanUp.push(() => database.close());
    const problems: unknown[] = [];
    const byLine = direct.href.replace(direct.host, `127.0.0.1:${line.port}`);
    const presence = await joinInstances(database, byLine, (problem) => problems.push(problem));
    return { line, presence, problems };
  }

  test.each<[string, (on: Awaited<ReturnType<typeof aProcessOnALine>>) => Promise<unknown>]>([
    ['while it is connected', async ({ line }) => line.set('hang')],
    [
      'while it connects again',
      async ({ line, problems }) => {
        line.set('refuse');
        await until('The cut', async () => problems.length > 0);
        line.set('hang');
        await until('The next attempt', async () => line.held() > 0);
      },
    ],
  ])('leaves within seconds %s', async (_when, fallSilent) => {
    const process = await aProcessOnALine();
    await fallSilent(process);
    const since = ownTime();
    await process.presence.leave();
    expect(ownTime() - since).toBeLessThan(4_000);
  });
});

test('considers every other process dead on SQLite', async () => {
  const { aProcess } = await aDatabase('sqlite');
  const only = await aProcess();
  expect(await only.isGone(only.instance)).toBe(false);
  expect(await only.isGone(only.instance + 1)).toBe(true);
  only.send({ stop: 1 });
  expect(only.heard).toEqual([]);
});
