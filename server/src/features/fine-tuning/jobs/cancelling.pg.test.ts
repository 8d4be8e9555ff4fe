import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { callsOf, createRunningJob, quick } from '#server/testing/fine-tuning';
import { createHttpClient } from '#server/testing/http-client';

const jobs = '/api/fine-tuning/jobs';

test('asks the provider once to stop a job in several processes on postgres', async () => {
  const app = await startApp('postgres', quick);
  onTestFinished(() => app.stop());
  const { visitor } = await app.someone();
  const { id, providerJobId } = await createRunningJob(app, visitor);
  const other = await app.secondProcess();
  const elsewhere = createHttpClient(() => other);
  for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
  const answers = await Promise.all([visitor, elsewhere].map((one) => one.post(`${jobs}/${id}/cancel`)));
  for (const answer of answers) expect([answer.status, answer.body.status]).toEqual([200, 'cancelled']);
  expect(await callsOf(app, 'POST', new RegExp(`${providerJobId}/cancel$`))).toHaveLength(1);
});
