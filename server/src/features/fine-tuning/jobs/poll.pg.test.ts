import { describe, expect, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { aroundToday } from '#server/testing/days';
import {
  advanceSteps,
  atProviderNow,
  draft,
  jobsAtProvider,
  quick,
  trainingFile,
  untilStatus,
} from '#server/testing/fine-tuning';

const jobs = '/api/fine-tuning/jobs';

describe('two processes on one PostgreSQL', () => {
  test('follow a job together as one, and send it once', async () => {
    const app = await startApp('postgres', quick);
    try {
      await app.secondProcess();
      const ada = await app.as('ada');
      const key = `sk-ada-${'a'.repeat(40)}`;
      await ada.post('/api/settings/apikey', { apiKey: key });
      const made = [];
      for (let number = 0; number < 8; number++) {
        const { id } = await trainingFile(app, ada, { filename: `train ${number}.jsonl` });
        const { body } = await ada.post(jobs, draft(id));
        // Saving a key again polls every job, in the middle of the others.
        await ada.post('/api/settings/apikey', { apiKey: key });
        made.push(body.id);
      }
      for (const id of made) await atProviderNow(ada, id);
      expect(await jobsAtProvider(app, key)).toHaveLength(8);
      await advanceSteps(app, 40);
      for (const id of made) await untilStatus(ada, id, 'succeeded');
      const { body } = await ada.get(`/api/analytics?${aroundToday()}`);
      expect(body.fineTuning).toMatchObject([{ jobs: 8 }]);
      expect((await ada.get('/api/fine-tuning/models/custom')).body).toHaveLength(8);
      const left = await withDatabase(app, async (db) => ({
        looks: await db.selectFrom('jobs').selectAll().where('kind', '=', 'fine-tuning.follow').execute(),
        events: await db
          .selectFrom('fine_tuning_events')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .groupBy('job_id')
          .execute(),
      }));
      expect(new Set(left.events.map(({ count }) => count)).size).toBe(1);
      expect(left.looks.filter((look) => look.given_up_at !== null)).toEqual([]);
    } finally {
      await app.stop();
    }
  });
});
