import type { Comparison, ComparisonPrompt } from '@roster/contracts/comparisons/comparisons';
import type { JudgingDetail } from '@roster/contracts/comparisons/judging';
import { withDatabase } from './database.ts';
import { readEvents } from './events.ts';
import type { HttpClient } from './http-client.ts';
import { until } from './until.ts';

export const comparisonsPath = '/api/comparisons';

export type Whole = Comparison & { items: ComparisonPrompt[] };

/** Creates a comparison and reads it. */
export async function newComparison(visitor: HttpClient, typed: string[], more: object = {}): Promise<Whole> {
  const draft = { candidateModel: 'gpt-4o-mini', baselineModel: 'gpt-4o', prompts: { typed }, ...more };
  const { status, body } = await visitor.post(comparisonsPath, draft);
  if (status !== 201) throw new Error(`No comparison: ${status} ${JSON.stringify(body)}`);
  return comparisonOf(visitor, body.id);
}

export async function comparisonOf(visitor: HttpClient, id: number): Promise<Whole> {
  const { status, body } = await visitor.get(`${comparisonsPath}/${id}`);
  if (status !== 200) throw new Error(`No comparison: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const askPrompt = (visitor: HttpClient, id: number, promptId: number, more: object = {}) =>
  visitor.post(`${comparisonsPath}/${id}/prompts/${promptId}/ask`, more);

export const votePrompt = (visitor: HttpClient, id: number, promptId: number, vote: string | null) =>
  visitor.post(`${comparisonsPath}/${id}/prompts/${promptId}/vote`, { vote });

/** Asks a prompt and waits for the end of both answers. */
export async function compared(
  app: { url: string },
  visitor: HttpClient,
  id: number,
  promptId: number,
  more: object = {},
): Promise<ComparisonPrompt> {
  const { status, body } = await askPrompt(visitor, id, promptId, more);
  if (status !== 202) throw new Error(`Not asked: ${status} ${JSON.stringify(body)}`);
  await Promise.all([body.candidate, body.baseline].map(({ runId }) => readEvents(app, visitor, runId)));
  const prompt = (await comparisonOf(visitor, id)).items.find((item) => item.id === promptId);
  if (!prompt) throw new Error('The prompt is gone');
  return prompt;
}

/** Starts asking all open prompts. */
export const startOf = (visitor: HttpClient, id: number, more: object = {}) =>
  visitor.post(`${comparisonsPath}/${id}/start`, more);

export const judgingsPath = (id: number) => `${comparisonsPath}/${id}/judgings`;

/** Starts a judge, which prefers the longer answer unless the criteria say otherwise. */
export const judge = (visitor: HttpClient, id: number, more: object = {}) =>
  visitor.post(judgingsPath(id), { model: 'gpt-4o', criteria: 'The better one.', ...more });

export async function judgingOf(visitor: HttpClient, id: number, judgingId: number): Promise<JudgingDetail> {
  const { status, body } = await visitor.get(`${judgingsPath(id)}/${judgingId}`);
  if (status !== 200) throw new Error(`No judging: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Waits until a judging is no longer running. */
export const judgedBy = (visitor: HttpClient, id: number, judgingId: number) =>
  until('The end of the judging', async () => {
    const judging = await judgingOf(visitor, id, judgingId);
    return judging.state === 'idle' && judging;
  });

/** Judges all answered prompts, and waits for the end. */
export async function judged(visitor: HttpClient, id: number, more: object = {}): Promise<JudgingDetail> {
  const { status, body } = await judge(visitor, id, more);
  if (status !== 201) throw new Error(`Not judged: ${status} ${JSON.stringify(body)}`);
  return judgedBy(visitor, id, body.id);
}

/** A comparison whose candidate answers `t0000 t0001 t0002 t0003`, and whose baseline has these earlier answers. */
export async function answeredComparison(
  app: Parameters<typeof withDatabase>[0],
  visitor: HttpClient,
  earlier: string[],
): Promise<Whole> {
  const { id, items } = await newComparison(
    visitor,
    earlier.map((_, index) => `Question ${index + 1} [[bench 4]] [[delay 0]]`),
  );
  await withDatabase(app, async (db) => {
    for (const [index, { id: promptId }] of items.entries())
      await db
        .updateTable('comparison_prompts')
        .set({
          baseline_text: JSON.stringify({
            ...{ text: earlier[index], model: 'gpt-4', version: null },
            createdAt: '2026-01-02T03:04:05.000Z',
          }),
        })
        .where('id', '=', promptId)
        .execute();
  });
  await startOf(visitor, id);
  return until('All are answered', async () => {
    const comparison = await comparisonOf(visitor, id);
    return comparison.state === 'idle' && comparison.answered === earlier.length && comparison;
  });
}
