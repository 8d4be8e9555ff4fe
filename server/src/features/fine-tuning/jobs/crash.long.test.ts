import { describe, expect, test } from 'vitest';
import { engines, goodKey } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { killableInstallation, registered, roundsOr, seeded } from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import {
  advanceSteps,
  draft,
  jobOf,
  jobStep,
  jobsAtProvider,
  trainingFile,
  untilStatus,
} from '#server/testing/fine-tuning';

const rounds = { sqlite: roundsOr(5), postgres: roundsOr(3) };

describe.each(engines)('crashes again and again on %s', (engine) => {
  test('sends a job to the provider once, and stores its end once', async () => {
    const { app, server } = await killableInstallation(engine, {
      simulator: { jobStepMs: jobStep },
      env: { FOLLOW_INTERVAL_MS: '20' },
    });
    await server.start();
    const visitor = await registered(server, 'ada');
    const random = seeded(20_261_122);
    const file = await trainingFile(server, visitor);
    const stored = new Set<number>();

    /**
     * Expires what a dead process held, and the minute in which a job may still arrive. Not while a process lives: it
     * may be sending.
     */
    const later = () =>
      withDatabase(app, async (db) => {
        await db
          .updateTable('jobs')
          .set({ claimed_until: null, run_at: new Date(0).toISOString() })
          .execute();
        await db
          .updateTable('fine_tuning_jobs')
          .set({ sent_at: new Date(0).toISOString() })
          .where('sent_at', 'is not', null)
          .where('provider_job_id', 'is', null)
          .execute();
      });

    // While jobs are stored, sent and polled.
    for (let round = 0; round < rounds[engine]; round++) {
      const creating = [0, 1].map(async (number) => {
        const job = draft(file.id, { name: `round ${round} job ${number}` });
        const answer = await visitor.post('/api/fine-tuning/jobs', job).catch(() => undefined);
        if (answer?.status === 201) stored.add(answer.body.id);
      });
      if (round % 2 === 0) await Promise.race(creating);
      await new Promise((resolve) => setTimeout(resolve, random(150)));
      await server.kill();
      await Promise.all(creating);
      await later();
      await server.start();
    }
    expect(stored.size).toBeGreaterThan(0);
    const all = async () =>
      withDatabase(app, (db) => db.selectFrom('fine_tuning_jobs').select(['id', 'name', 'provider_job_id']).execute());
    await until('The arrival of all jobs', async () => (await all()).every((job) => job.provider_job_id !== null));
    const jobs = await all();
    for (const id of stored) expect(jobs.map((job) => job.id)).toContain(id);
    const there = await jobsAtProvider(app, goodKey);
    expect(there.map(({ id }) => id).toSorted()).toEqual(jobs.map((job) => job.provider_job_id).toSorted());

    // While their ends are stored.
    await advanceSteps(app, 40);
    for (let round = 0; round < rounds[engine]; round++) {
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await server.kill();
      await server.start();
    }
    for (const { id } of jobs) await untilStatus(visitor, id, 'succeeded');
    const { body } = await visitor.get(`/api/analytics?${aroundToday()}`);
    let tokens = 0;
    for (const { id } of jobs) {
      tokens += Number((await jobOf(visitor, id)).trainedTokens);
      const { items } = (await visitor.get(`/api/fine-tuning/jobs/${id}/events?limit=200`)).body;
      const messages = items.map(({ message }: { message: string }) => message);
      expect([messages[0], new Set(messages).size]).toEqual(['The job has successfully completed', messages.length]);
    }
    expect(body.fineTuning).toMatchObject([{ jobs: jobs.length, trainedTokens: tokens }]);
    expect((await visitor.get('/api/fine-tuning/models/custom?limit=100')).body).toHaveLength(jobs.length);
    expect(await server.terminate()).toBe(0);
  });
});
