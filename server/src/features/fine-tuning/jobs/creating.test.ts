import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { draft, examples, jobsAtProvider, quick, trainingFile } from '#server/testing/fine-tuning';
import { until } from '#server/testing/until';

const jobs = '/api/fine-tuning/jobs';

describe.each(engines)('creating a job on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, quick);
  });
  afterAll(() => app.stop());

  const someone = () => app.someone();

  test('makes one job of five simultaneous calls with one id, here and at the provider', async () => {
    const { visitor, key } = await someone();
    const { id } = await trainingFile(app, visitor);
    const body = draft(id, { clientId: 'one-job-please', hyperparameters: { n_epochs: 2, batch_size: 'auto' } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(jobs, body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    await until('The job there', async () => (await jobsAtProvider(app, key)).length > 0);
    const reordered = { ...body, hyperparameters: { batch_size: 'auto', n_epochs: 2 } };
    expect((await visitor.post(jobs, reordered)).body.id).toBe(answers[0]?.body.id);
    expect((await visitor.get(jobs)).body).toHaveLength(1);
    expect(await jobsAtProvider(app, key)).toHaveLength(1);
  });

  test('refuses an id that was used for another job, but not another user’s', async () => {
    const { visitor } = await someone();
    const { id } = await trainingFile(app, visitor);
    const clientId = 'used-before';
    expect((await visitor.post(jobs, draft(id, { clientId }))).status).toBe(201);
    for (const other of [{ name: 'Rain' }, { hyperparameters: { n_epochs: 3 } }]) {
      const { status, body } = await visitor.post(jobs, draft(id, { clientId, ...other }));
      expect([status, body.code]).toEqual([409, 'conflict']);
    }
    expect((await visitor.get(jobs)).body).toHaveLength(1);
    const { visitor: other } = await someone();
    const { id: othersFile } = await trainingFile(app, other);
    expect((await other.post(jobs, draft(othersFile, { clientId }))).status).toBe(201);
  });

  const broken = `${examples(12)}{"messages":[{"role":"user"}]}\n{"messages":\n`;
  test.each([
    ['too few examples', examples(3), /There are 3 examples/],
    ['lines that cannot be read', broken, /^“train.jsonl” cannot be trained with\. Line 13: .*more problem/],
    ['nothing that could be trained on', 'Hello\n', /cannot be trained with/],
  ])('refuses a file with %s in the words of the check', async (_what, content, message) => {
    const { visitor } = await someone();
    const good = await trainingFile(app, visitor);
    const bad = await trainingFile(app, visitor, { content });
    const report = (await visitor.post('/api/fine-tuning/validate', { trainingFileId: bad.id, method: 'supervised' }))
      .body;
    const first = report.training.problems.find(({ severity }: { severity: string }) => severity === 'error');
    const asTraining = await visitor.post(jobs, draft(bad.id));
    expect([asTraining.status, asTraining.body.code]).toEqual([400, 'invalid_input']);
    expect(asTraining.body.fields.trainingFileId).toMatch(message);
    expect(asTraining.body.fields.trainingFileId).toContain(`${first.message} ${first.fix}`);
    expect(asTraining.body.message).toBe(asTraining.body.fields.trainingFileId);
    expect((await visitor.get(jobs)).body).toEqual([]);
    if (content === examples(3)) return;
    const asValidation = await visitor.post(jobs, draft(good.id, { validationFileId: bad.id }));
    expect([asValidation.status, Object.keys(asValidation.body.fields)]).toEqual([400, ['validationFileId']]);
    expect((await visitor.get(jobs)).body).toEqual([]);
  });

  test('refuses images for a model trained on text only, whatever was checked before', async () => {
    const { visitor } = await someone();
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const shown = {
      messages: [
        { role: 'user', content: [image] },
        { role: 'assistant', content: 'A sail.' },
      ],
    };
    const { id } = await trainingFile(app, visitor, { content: `${examples(12)}${JSON.stringify(shown)}\n` });
    const seen = { trainingFileId: id, method: 'supervised', baseModel: 'gpt-4o-2024-08-06' };
    expect((await visitor.post('/api/fine-tuning/validate', seen)).body.ok).toBe(true);
    const { status, body } = await visitor.post(jobs, draft(id, { baseModel: 'gpt-4.1-mini-2025-04-14' }));
    expect([status, body.fields?.trainingFileId]).toEqual([
      400,
      expect.stringContaining('One example has images, and gpt-4.1-mini-2025-04-14 can be trained on text only.'),
    ]);
    expect((await visitor.post(jobs, draft(id, { baseModel: seen.baseModel }))).status).toBe(201);
  });

  test('refuses conversations for preference training, whatever was checked before', async () => {
    const { visitor } = await someone();
    const { id } = await trainingFile(app, visitor);
    await visitor.post('/api/fine-tuning/validate', { trainingFileId: id, method: 'supervised' });
    const { status, body } = await visitor.post(jobs, draft(id, { method: 'dpo' }));
    expect([status, Object.keys(body.fields)]).toEqual([400, ['trainingFileId']]);
  });
});
