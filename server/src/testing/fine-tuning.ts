import type { File } from '@roster/contracts/files/files';
import type { Job } from '@roster/contracts/fine-tuning/jobs';
import type { JournalEntry } from '@roster/simulator/http/journal';
import { request } from 'undici';
import { uploaded } from './files.ts';
import type { HttpClient } from './http-client.ts';
import { until } from './until.ts';

/** In the simulator's time, which tests advance: nothing depends on how fast a test runs. */
export const jobStep = 60_000;

/** Polls follow each other quickly, and a job at the provider moves by its clock alone. */
export const quick = { env: { FOLLOW_INTERVAL_MS: '20' }, simulator: { jobStepMs: jobStep } };

export const trainable = 'gpt-4.1-mini-2025-04-14';

type Place = { provider: { url: string; origin: string } };

export function examples(count: number, topic = 'the weather'): string {
  const line = (number: number) => ({
    messages: [
      { role: 'user', content: `Question ${number} about ${topic}?` },
      { role: 'assistant', content: `Answer ${number}, as if nobody knew.` },
    ],
  });
  return Array.from({ length: count }, (_, index) => `${JSON.stringify(line(index + 1))}\n`).join('');
}

export const trainingFile = (
  app: { url: string },
  visitor: HttpClient,
  wanted: { filename?: string; content?: string; purpose?: string } = {},
): Promise<File> =>
  uploaded(app, visitor, { filename: 'train.jsonl', content: examples(12), purpose: 'fine-tune', ...wanted });

export const draft = (trainingFileId: number, more: Record<string, unknown> = {}) => ({
  name: 'Weather',
  baseModel: trainable,
  trainingFileId,
  ...more,
});

/** Starts a job with a file of its own. */
export async function createJob(
  app: { url: string },
  visitor: HttpClient,
  more: Record<string, unknown> = {},
): Promise<Job> {
  const { id } = await trainingFile(app, visitor);
  const { status, body } = await visitor.post('/api/fine-tuning/jobs', draft(id, more));
  if (status !== 201) throw new Error(`No job: ${status} ${JSON.stringify(body)}`);
  return body;
}

export async function jobOf(visitor: HttpClient, id: number): Promise<Job> {
  return (await visitor.get(`/api/fine-tuning/jobs/${id}`)).body;
}

export const untilJob = (visitor: HttpClient, id: number, what: string, isSo: (job: Job) => boolean) =>
  until(what, async () => {
    const job = await jobOf(visitor, id);
    return isSo(job) && job;
  });

export const untilStatus = (visitor: HttpClient, id: number, status: Job['status']) =>
  untilJob(visitor, id, `The state ${status}`, (job) => job.status === status);

export const atProviderNow = (visitor: HttpClient, id: number) =>
  untilJob(visitor, id, 'The arrival at the provider', (job) => job.providerJobId !== null);

/** Advances the provider's clock by this many job steps. */
export async function advanceSteps({ provider }: Place, steps: number) {
  const answer = await request(`${provider.origin}/__simulator/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceMs: steps * jobStep }),
  });
  await answer.body.dump();
}

/** A job that is running at the provider, some of its steps done. */
export async function createRunningJob(
  app: Place & { url: string },
  visitor: HttpClient,
  more: Record<string, unknown> = {},
) {
  const { id } = await createJob(app, visitor, more);
  await atProviderNow(visitor, id);
  await advanceSteps(app, 4);
  return untilStatus(visitor, id, 'running');
}

/** A job that has succeeded. */
export async function createTrainedJob(
  app: Place & { url: string },
  visitor: HttpClient,
  more: Record<string, unknown> = {},
) {
  const { id } = await createJob(app, visitor, more);
  await atProviderNow(visitor, id);
  await advanceSteps(app, 40);
  return untilStatus(visitor, id, 'succeeded');
}

type ProviderJob = { id: string; status: string; metadata: Record<string, string>; fine_tuned_model: string | null };

/** The jobs of a key at the provider. */
export async function jobsAtProvider({ provider }: Place, key: string): Promise<ProviderJob[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await request(`${provider.url}/fine_tuning/jobs?limit=100`, { headers });
  const { data } = JSON.parse(await answer.body.text());
  return data;
}

/** The requests that the provider has received. */
export async function callsOf({ provider }: Place, method: string, path: RegExp): Promise<JournalEntry[]> {
  const answer = await request(`${provider.origin}/__simulator/requests`);
  const { requests } = JSON.parse(await answer.body.text());
  return requests.filter((call: JournalEntry) => call.method === method && path.test(call.path));
}
