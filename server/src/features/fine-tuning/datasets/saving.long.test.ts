import { expect, test } from 'vitest';
import { engines, startApp } from '#server/testing/app';
import { datasetOf, datasetsPath, examplesOf } from '#server/testing/datasets';

test.each(engines)('refuses a dataset beyond 50 MB, and leaves nothing of it on %s', async (engine) => {
  const app = await startApp(engine);
  const ada = await app.withKey('ada');
  const answer = 'x'.repeat(1_000_000);
  const examples = Array.from({ length: 60 }, (_, index) => ({ question: `Q${index}`, answer }));
  const id = await datasetOf(app, ada, examples);
  const save = () => ada.post(`${datasetsPath}/${id}/save`, { filename: 'large' });

  const { status, body } = await save();
  expect([status, body.code]).toEqual([413, 'too_large']);
  expect((await ada.get('/api/files')).body).toEqual([]);

  const stored = await examplesOf(ada, id);
  for (const example of stored.slice(0, 20))
    await ada.patch(`${datasetsPath}/${id}/examples/${example.id}`, { review: 'left_out' });
  expect((await save()).status).toBe(201);
  await app.stop();
});
