import type { RetiringModel } from '@roster/contracts/models/retirement';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { datasetOf, datasetsPath } from '#server/testing/datasets';
import {
  advanceSteps,
  atProviderNow,
  draft,
  quick,
  trainable,
  trainingFile,
  untilStatus,
} from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';

const day = '2027-01-04';

describe.each(engines)('retiring fine-tuned models on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, {
      ...quick,
      simulator: { ...quick.simulator, day: () => day },
      now: () => Date.parse(`${day}T12:00:00Z`),
    });
  });
  afterAll(() => app.stop());

  async function trainedWith(visitor: HttpClient, trainingFileId: number, more: object = {}) {
    const { body } = await visitor.post('/api/fine-tuning/jobs', draft(trainingFileId, { ...more }));
    await atProviderNow(visitor, body.id);
    await advanceSteps(app, 40);
    return untilStatus(visitor, body.id, 'succeeded');
  }
  const examples = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ question: `Q${index}?`, answer: `A${index}.` }));
  const modelsOf = async (visitor: HttpClient) => (await visitor.get('/api/fine-tuning/models/custom')).body;
  const lifeOf = async (visitor: HttpClient): Promise<RetiringModel[]> =>
    (await visitor.get('/api/model-life')).body.items;

  test('names their dataset, their job and their successor, as long as these exist', async () => {
    const { visitor } = await app.someone();
    const datasetId = await datasetOf(app, visitor, examples(24));
    const { body: saved } = await visitor.post(`${datasetsPath}/${datasetId}/save`, { filename: 'weather' });
    // A file that is made of the dataset's file is the dataset's, too.
    const split = await visitor.post('/api/fine-tuning/split', {
      fileId: saved.training.id,
      validationShare: 0.2,
    });
    expect(split.status).toBe(201);
    const job = await trainedWith(visitor, split.body.training.id);
    const dataset = { id: datasetId, name: 'Examples' };
    expect(job.dataset).toEqual(dataset);
    expect(await modelsOf(visitor)).toMatchObject([
      {
        ...{ model: job.tunedModel, jobId: job.id, jobName: 'Weather', dataset },
        end: { shutdownDate: '2027-01-14', lifecycle: 'ending', successor: 'gpt-6-luna' },
      },
    ]);
    const tuned = { model: job.tunedModel, job: { id: job.id, name: 'Weather' }, dataset };
    const base = (await lifeOf(visitor)).find(({ model }) => model === trainable);
    expect(base?.tunedModels).toMatchObject([tuned]);
    // The job still knows without its file.
    await visitor.delete(`/api/files/${split.body.training.id}`);
    expect(await modelsOf(visitor)).toMatchObject([{ dataset }]);
    await visitor.delete(`${datasetsPath}/${datasetId}`);
    expect(await modelsOf(visitor)).toMatchObject([{ jobName: 'Weather', dataset: null }]);
  });

  test('names only the job of those trained with an uploaded file, and retires with the base', async () => {
    const { visitor } = await app.someone();
    const { id: fileId } = await trainingFile(app, visitor);
    const first = await trainedWith(visitor, fileId);
    const second = await trainedWith(visitor, fileId, { name: 'Further', baseModel: first.tunedModel });
    expect(second.dataset).toBeNull();
    const end = { shutdownDate: '2027-01-14', lifecycle: 'ending' };
    expect(await modelsOf(visitor)).toMatchObject([
      { jobName: 'Further', baseModel: first.tunedModel, dataset: null, end },
      { jobName: 'Weather', dataset: null, end },
    ]);
  });

  test('makes instructions of a dataset’s best examples, within what the form takes', async () => {
    const { visitor } = await app.someone();
    const instructions = 'You are a sailor.';
    const datasetId = await datasetOf(app, visitor, [
      { question: 'Left out?', answer: 'Yes.', instructions, review: 'left_out' },
      ...examples(3).map((example) => ({ ...example, instructions })),
      { question: 'Kept by a review?', answer: `Aye${'!'.repeat(600)}`, instructions, review: 'kept' },
      { question: 'Too long with the others?', answer: '€'.repeat(800), review: 'kept' },
      { question: 'Longer than anything?', answer: 'x'.repeat(1_501), review: 'kept' },
    ]);
    const { status, body } = await visitor.get(`${datasetsPath}/${datasetId}/instructions`);
    expect(status).toBe(200);
    const answered = [
      `Question: Kept by a review?\nAnswer: Aye${'!'.repeat(600)}`,
      ...[0, 1, 2].map((index) => `Question: Q${index}?\nAnswer: A${index}.`),
    ];
    expect(body).toEqual({
      instructions: [instructions, 'Answer as in these examples.', ...answered].join('\n\n'),
      ...{ examples: 4, of: 6, dataset: { id: datasetId, name: 'Examples' } },
    });
  });
});
