import { pino } from 'pino';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { emptyDatabase, engines } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { connect } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { type JobRepository, jobRepository } from './repository.ts';
import { createWorker, delayAfter, FinalFailure, type JobKind, jobKind } from './worker.ts';

const now = () => new Date().toISOString();
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const silent = pino({ level: 'silent' });

test('the wait doubles from five seconds to an hour', () => {
  expect([1, 2, 3, 10, 11, 29].map(delayAfter)).toEqual([5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
});

describe.each(engines)('background jobs on %s', (engine) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function prepared() {
    const empty = await emptyDatabase(engine);
    const first = connect(empty.url, empty.dataDir);
    await migrate(first);
    // A second process has its own connection; with SQLite there is only one process.
    const second = empty.url ? connect(empty.url, empty.dataDir) : first;
    const stops: (() => Promise<void>)[] = [];
    onTestFinished(async () => {
      for (const stop of stops) await stop();
      if (second !== first) await second.close();
      await first.close();
      await empty.remove();
    });
    const { db } = first;
    return {
      jobs: jobRepository(db),
      elsewhere: jobRepository(second.db),
      rows: () => db.selectFrom('jobs').selectAll().orderBy('id').execute(),
      change: (change: { run_at?: string; claimed_until?: string; attempts?: number }) =>
        db.updateTable('jobs').set(change).execute(),
      worker(kinds: Record<string, JobKind>, repository: JobRepository = jobRepository(db)) {
        const worker = createWorker(repository, new Map(Object.entries(kinds)), silent);
        stops.push(worker.stop);
        worker.start();
        return worker;
      },
    };
  }

  const counting = (done: number[]) =>
    jobKind(z.object({ number: z.number() }), async ({ number }) => {
      done.push(number);
    });

  test('are each done once by several workers at once, and are gone then', async () => {
    const { jobs, elsewhere, rows, worker } = await prepared();
    for (let number = 1; number <= 40; number++) await jobs.insert('count', { number }, now());
    const done: number[] = [];
    const workers = [worker({ count: counting(done) }), worker({ count: counting(done) }, elsewhere)];
    for (const one of workers) one.wake();
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test('are claimed by one of many at the same moment', async () => {
    const { jobs, elsewhere } = await prepared();
    await jobs.insert('count', { number: 1 }, now());
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? jobs : elsewhere).claim(now(), new Date(Date.now() + 60_000).toISOString()),
      ),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  test('are done by another process once the lease of one that died is over', async () => {
    const { jobs, rows, change, worker } = await prepared();
    await jobs.insert('count', { number: 1 }, now());
    const dead = await jobs.claim(now(), new Date(Date.now() + 60_000).toISOString());
    if (!dead) throw new Error('nothing was claimed');
    expect(await jobs.claim(now(), now())).toBeUndefined();
    const done: number[] = [];
    const living = worker({ count: counting(done) });
    await jobs.insert('count', { number: 2 }, now());
    living.wake();
    await until('the job that is free', async () => done.length === 1);
    expect(done).toEqual([2]);
    await change({ claimed_until: ago(1) });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual([2, 1]);
  });

  test('stay with whoever holds them: a process that wakes up late settles nothing', async () => {
    const { jobs, rows } = await prepared();
    await jobs.insert('count', { number: 1 }, now());
    const late = await jobs.claim(now(), ago(1));
    const holder = await jobs.claim(now(), new Date(Date.now() + 60_000).toISOString());
    if (!late || !holder) throw new Error('nothing was claimed');
    await jobs.done(late);
    await jobs.tryAgain(late, now(), 'late');
    await jobs.giveUp(late, now(), 'late');
    expect(await rows()).toMatchObject([{ claimed_until: holder.claimedUntil, last_error: null, given_up_at: null }]);
    await jobs.done(holder);
    expect(await rows()).toEqual([]);
  });

  test('are tried again after a while when they fail, until they succeed', async () => {
    const { jobs, rows, change, worker } = await prepared();
    let failures = 2;
    const done: string[] = [];
    worker({
      shaky: jobKind(z.object({}), async () => {
        if (failures-- > 0) throw new Error('not yet');
        done.push('done');
      }),
    });
    const before = Date.now();
    await jobs.insert('shaky', {}, now());
    for (const attempts of [1, 2]) {
      await until('a failure', async () => {
        const [row] = await rows();
        return row?.attempts === attempts && row.last_error === 'not yet' && row.claimed_until === null;
      });
      const [row] = await rows();
      expect(Date.parse(row?.run_at ?? '')).toBeGreaterThanOrEqual(before + delayAfter(attempts));
      await change({ run_at: now() });
    }
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual(['done']);
  });

  test('are given up after their last attempt, and stay to be looked at', async () => {
    const { jobs, rows, change, worker } = await prepared();
    await jobs.insert('hopeless', {}, now());
    await change({ attempts: 29 });
    let attempts = 0;
    const { wake } = worker({
      hopeless: jobKind(z.object({}), async () => {
        attempts++;
        throw new Error('never');
      }),
    });
    await until('a job that was given up', async () => (await rows())[0]?.given_up_at ?? undefined);
    expect(await rows()).toMatchObject([{ attempts: 30, last_error: 'never', claimed_until: null }]);
    await change({ run_at: ago(1_000) });
    wake();
    await jobs.insert('other', {}, now());
    await until('a later job that was tried', async () => (await rows())[1]?.last_error ?? undefined);
    expect(attempts).toBe(1);
  });

  test('that end each process that takes them are given up too, without being tried once more', async () => {
    const { jobs, rows, change, worker } = await prepared();
    await jobs.insert('deadly', {}, now());
    await change({ attempts: 30, claimed_until: ago(1) });
    let attempts = 0;
    worker({
      deadly: jobKind(z.object({}), async () => {
        attempts++;
      }),
    });
    await until('a job that was given up', async () => (await rows())[0]?.given_up_at ?? undefined);
    expect([attempts, (await rows())[0]?.last_error]).toEqual([0, 'each process that took it died']);
  });

  test('are given up at once where another attempt would change nothing', async () => {
    const { jobs, rows, worker } = await prepared();
    await jobs.insert('final', { number: 1 }, now());
    await jobs.insert('final', { number: 'a secret text' }, now());
    worker({
      final: jobKind(z.object({ number: z.number() }), async () => {
        throw new FinalFailure('refused');
      }),
    });
    await until('two jobs that were given up', async () => (await rows()).every((row) => row.given_up_at !== null));
    expect((await rows()).map((row) => row.last_error)).toEqual(['refused', 'unusable payload: number']);
  });

  test('of a kind that this version does not know wait for one that does', async () => {
    const { jobs, rows, worker } = await prepared();
    await jobs.insert('from the future', {}, now());
    worker({});
    await until('a failure', async () => (await rows())[0]?.last_error ?? undefined);
    expect(await rows()).toMatchObject([{ last_error: 'no handler for from the future', given_up_at: null }]);
  });

  test('are looked for at once when woken, also while the worker is looking already', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const { jobs, rows, worker } = await prepared();
    const done: number[] = [];
    const { wake } = worker({ count: counting(done) });
    for (let number = 1; number <= 12; number++) {
      await jobs.insert('count', { number }, now());
      wake();
    }
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toHaveLength(12);
  });

  test('that are for later are left until then', async () => {
    const { jobs, rows, change, worker } = await prepared();
    const done: number[] = [];
    const { wake } = worker({ count: counting(done) });
    await jobs.insert('count', { number: 1 }, new Date(Date.now() + 60_000).toISOString());
    await jobs.insert('count', { number: 2 }, now());
    wake();
    await until('the job that is due', async () => done.length === 1);
    expect(done).toEqual([2]);
    await change({ run_at: now() });
    await until('the end of all jobs', async () => (await rows()).length === 0);
  });

  test('under way are waited for at a stop, and no other is taken', async () => {
    const { jobs, rows, worker } = await prepared();
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const done: number[] = [];
    const one = worker({
      slow: jobKind(z.object({ number: z.number() }), async ({ number }) => {
        begun.resolve();
        await gate.promise;
        done.push(number);
      }),
    });
    await jobs.insert('slow', { number: 1 }, now());
    one.wake();
    await begun.promise;
    const stopped = one.stop();
    await jobs.insert('slow', { number: 2 }, now());
    one.wake();
    gate.resolve();
    await stopped;
    expect(done).toEqual([1]);
    expect(await rows()).toMatchObject([{ payload: '{"number":2}', attempts: 0 }]);
  });

  test('that do not end do not keep a stop waiting for ever', async () => {
    const { jobs, rows, worker } = await prepared();
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const one = worker({
      endless: jobKind(z.object({}), () => {
        begun.resolve();
        return gate.promise;
      }),
    });
    await jobs.insert('endless', {}, now());
    one.wake();
    await begun.promise;
    await one.stop();
    expect(await rows()).toHaveLength(1);
    gate.resolve();
    await until('the end of all jobs', async () => (await rows()).length === 0);
  });
});
