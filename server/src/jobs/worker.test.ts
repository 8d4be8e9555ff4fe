import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '#server/db/connect';
import { engines, readyDatabase } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { defineJob, type JobHandler, jobHandler, PermanentJobError, retryDelay } from './define.ts';
import { enqueue, enqueueOnce } from './queue.ts';
import { jobRepository } from './repository.ts';
import { createWorker } from './worker.ts';

const now = () => new Date().toISOString();
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const silent = pino({ level: 'silent' });
/** Longer than any test: earlier work must come from a wake-up. */
const never = 60 * 60_000;

const count = defineJob({ name: 'count', payload: z.object({ number: z.number() }) });
const plain = (name: string) => defineJob({ name, payload: z.object({}) });

test('doubles the wait from five seconds to an hour', () => {
  expect([1, 2, 3, 10, 11, 29].map(retryDelay)).toEqual([5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
});

describe.each(engines)('background jobs on %s', (engine) => {
  async function prepared() {
    const empty = await readyDatabase(engine);
    const first = openDatabase(empty.url, empty.dataDir);
    // A second process has its own connection; with SQLite there is only one process.
    const second = empty.url ? openDatabase(empty.url, empty.dataDir) : first;
    const stops: (() => Promise<void>)[] = [];
    onTestFinished(async () => {
      for (const stop of stops) await stop();
      if (second !== first) await second.close();
      await first.close();
      await empty.remove();
    });
    const { db } = first;
    return {
      db,
      elsewhere: second.db,
      rows: () => db.selectFrom('jobs').selectAll().orderBy('id').execute(),
      change: (change: { run_at?: string; claimed_until?: string; attempts?: number }) =>
        db.updateTable('jobs').set(change).execute(),
      worker(handlers: JobHandler[], { of = db, pollMs = 20, stopWithinMs = 5_000 } = {}) {
        const worker = createWorker({ db: of, handlers, log: silent, pollMs, stopWithinMs });
        stops.push(worker.stop);
        worker.start();
        return worker;
      },
    };
  }

  const counting = (done: number[]) =>
    jobHandler(count, async ({ number }) => {
      done.push(number);
    });

  test('run once each with several workers, and are deleted then', async () => {
    const { db, elsewhere, rows, worker } = await prepared();
    for (let number = 1; number <= 40; number++) await enqueue(db, count, { number });
    const done: number[] = [];
    worker([counting(done)]);
    worker([counting(done)], { of: elsewhere });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test('are claimed by one of many at the same moment', async () => {
    const { db, elsewhere } = await prepared();
    await enqueue(db, count, { number: 1 });
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        jobRepository(index % 2 ? db : elsewhere).claim(now(), new Date(Date.now() + 60_000).toISOString()),
      ),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  test('run in another process once the lease of a dead one has expired', async () => {
    const { db, rows, change, worker } = await prepared();
    const jobs = jobRepository(db);
    await enqueue(db, count, { number: 1 });
    const dead = await jobs.claim(now(), new Date(Date.now() + 60_000).toISOString());
    if (!dead) throw new Error('nothing was claimed');
    expect(await jobs.claim(now(), now())).toBeUndefined();
    const done: number[] = [];
    worker([counting(done)]);
    await enqueue(db, count, { number: 2 });
    await until('the job that is free', async () => done.length === 1);
    expect(done).toEqual([2]);
    await change({ claimed_until: ago(1) });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual([2, 1]);
  });

  test('stay with their owner: a process that wakes up late stores no result', async () => {
    const { db, rows } = await prepared();
    const jobs = jobRepository(db);
    await enqueue(db, count, { number: 1 });
    const late = await jobs.claim(now(), ago(1));
    const holder = await jobs.claim(now(), new Date(Date.now() + 60_000).toISOString());
    if (!late || !holder) throw new Error('nothing was claimed');
    await jobs.done(late);
    await jobs.tryAgain(late, now(), { message: 'late', failure: 'Late' });
    await jobs.giveUp(late, now(), { message: 'late', failure: 'Late' });
    expect(await rows()).toMatchObject([{ claimed_until: holder.claimedUntil, last_error: null, given_up_at: null }]);
    await jobs.done(holder);
    expect(await rows()).toEqual([]);
  });

  test('are retried after a wait until they succeed', async () => {
    const { db, rows, change, worker } = await prepared();
    let failures = 2;
    const done: string[] = [];
    const shaky = plain('shaky');
    worker([
      jobHandler(shaky, async () => {
        if (failures-- > 0) throw new Error('not yet');
        done.push('done');
      }),
    ]);
    const before = Date.now();
    await enqueue(db, shaky, {});
    for (const attempts of [1, 2]) {
      await until('a failure', async () => {
        const [row] = await rows();
        return row?.attempts === attempts && row.last_error === 'not yet' && row.claimed_until === null;
      });
      const [row] = await rows();
      expect(Date.parse(row?.run_at ?? '')).toBeGreaterThanOrEqual(before + retryDelay(attempts));
      await change({ run_at: now() });
    }
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual(['done']);
  });

  test('fail after their last attempt, and stay for inspection', async () => {
    const { db, rows, change, worker } = await prepared();
    const hopeless = plain('hopeless');
    await enqueue(db, hopeless, {});
    await change({ attempts: 29 });
    let attempts = 0;
    worker([
      jobHandler(hopeless, async () => {
        attempts++;
        throw new Error('never');
      }),
    ]);
    await until('a failed job', async () => (await rows())[0]?.given_up_at ?? undefined);
    expect(await rows()).toMatchObject([{ attempts: 30, last_error: 'never', claimed_until: null }]);
    await change({ run_at: ago(1_000) });
    await enqueue(db, plain('other'), {});
    await until('a later job that was tried', async () => (await rows())[1]?.last_error ?? undefined);
    expect(attempts).toBe(1);
  });

  test('fail too if they kill each process that takes them, without another try', async () => {
    const { db, rows, change, worker } = await prepared();
    const deadly = plain('deadly');
    await enqueue(db, deadly, {});
    await change({ attempts: 30, claimed_until: ago(1) });
    let attempts = 0;
    worker([
      jobHandler(deadly, async () => {
        attempts++;
      }),
    ]);
    await until('a failed job', async () => (await rows())[0]?.given_up_at ?? undefined);
    expect([attempts, (await rows())[0]?.last_error]).toEqual([0, 'each process that took it died']);
  });

  test('notify the listener on failure, unless their payload is invalid', async () => {
    const { db, rows, change, worker } = await prepared();
    await enqueue(db, count, { number: 7 });
    await change({ attempts: 30 });
    await jobRepository(db).insert(count.name, '{"number":"none"}', now());
    const numbers: number[] = [];
    worker([
      jobHandler(
        count,
        async () => undefined,
        async ({ number }) => {
          numbers.push(number);
        },
      ),
    ]);
    await until('failed jobs', async () => (await rows()).every(({ given_up_at }) => given_up_at !== null));
    expect(numbers).toEqual([7]);
  });

  test('fail at once if another attempt would change nothing', async () => {
    const { db, rows, worker } = await prepared();
    await enqueue(db, count, { number: 1 });
    worker([
      jobHandler(count, async () => {
        throw new PermanentJobError('refused');
      }),
    ]);
    await until('a failed job', async () => (await rows())[0]?.given_up_at ?? undefined);
    expect((await rows())[0]?.last_error).toBe('refused');
  });

  test('fail without showing an unreadable payload, and hold up no other', async () => {
    const { db, rows, worker } = await prepared();
    const stored = ['not JSON: a secret text', '{"number":"a secret text"}', 'null', '{"number":1}'];
    for (const payload of stored) await jobRepository(db).insert('count', payload, now());
    const done: number[] = [];
    worker([counting(done)], { pollMs: never });
    await until('the end of the job that can be read', async () => done.length === 1);
    await until('three failed jobs', async () => (await rows()).every((row) => row.given_up_at !== null));
    expect((await rows()).map((row) => row.last_error)).toEqual([
      'unusable payload: it is not JSON',
      'unusable payload: number',
      'unusable payload: the whole',
    ]);
  });

  test('wait for a version that knows their kind', async () => {
    const { db, rows, worker } = await prepared();
    await enqueue(db, plain('from the future'), {});
    worker([]);
    await until('a failure', async () => (await rows())[0]?.last_error ?? undefined);
    expect(await rows()).toMatchObject([{ last_error: 'no handler for from the future', given_up_at: null }]);
  });

  test('run at once when stored, even while the worker is already looking', async () => {
    const { db, rows, worker } = await prepared();
    const done: number[] = [];
    worker([counting(done)], { pollMs: never });
    for (let number = 1; number <= 12; number++) await enqueue(db, count, { number });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toHaveLength(12);
  });

  test('run once their transaction is committed, and never if it is rolled back', async () => {
    const { db, rows, worker } = await prepared();
    const done: number[] = [];
    worker([counting(done)], { pollMs: never });
    const undone = db.transaction().execute(async (trx) => {
      await enqueue(trx, count, { number: 1 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await db.transaction().execute(async (trx) => {
      await enqueue(trx, count, { number: 2 });
      // Enough time for a worker to look too early and find nothing.
      for (let times = 1; times <= 20; times++) await trx.selectFrom('jobs').select('id').execute();
    });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual([2]);
  });

  test('run on time if they are due before the worker’s next poll', async () => {
    const { db, rows, worker } = await prepared();
    const done: number[] = [];
    worker([counting(done)], { pollMs: never });
    await db.transaction().execute((trx) => enqueue(trx, count, { number: 1 }, { inMs: 20 }));
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual([1]);
  });

  test('are stored once if enqueued once, due at the earliest time', async () => {
    const { db, rows, worker } = await prepared();
    for (const inMs of [never, never, never / 2])
      await db.transaction().execute((trx) => enqueueOnce(trx, count, { number: 1 }, { inMs }));
    expect(await rows()).toHaveLength(1);
    const done: number[] = [];
    worker([counting(done)], { pollMs: never });
    await enqueueOnce(db, count, { number: 1 });
    await until('the end of all jobs', async () => (await rows()).length === 0);
    expect(done).toEqual([1]);
  });

  test('wait until they are due', async () => {
    const { db, rows, change, worker } = await prepared();
    const done: number[] = [];
    worker([counting(done)]);
    await enqueue(db, count, { number: 1 }, { inMs: 60_000 });
    await enqueue(db, count, { number: 2 });
    await until('the job that is due', async () => done.length === 1);
    expect(done).toEqual([2]);
    await change({ run_at: now() });
    await until('the end of all jobs', async () => (await rows()).length === 0);
  });

  test('are awaited when running at shutdown, and no other is started', async () => {
    const { db, rows, worker } = await prepared();
    const running = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const done: number[] = [];
    const one = worker([
      jobHandler(count, async ({ number }) => {
        running.resolve();
        await gate.promise;
        done.push(number);
      }),
    ]);
    await enqueue(db, count, { number: 1 });
    await running.promise;
    const stopped = one.stop();
    await enqueue(db, count, { number: 2 });
    gate.resolve();
    await stopped;
    expect(done).toEqual([1]);
    expect(await rows()).toMatchObject([{ payload: '{"number":2}', attempts: 0 }]);
  });

  test('do not hold up a shutdown forever if they do not end', async () => {
    const { db, rows, worker } = await prepared();
    const running = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const endless = plain('endless');
    const handler = jobHandler(endless, () => {
      running.resolve();
      return gate.promise;
    });
    const one = worker([handler], { stopWithinMs: 50 });
    await enqueue(db, endless, {});
    await running.promise;
    await one.stop();
    expect(await rows()).toHaveLength(1);
    gate.resolve();
    await until('the end of all jobs', async () => (await rows()).length === 0);
  });
});
