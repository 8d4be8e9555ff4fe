import type { Comparison, ComparisonPrompt } from '@roster/contracts/fine-tuning/comparisons';
import { readEvents } from './events.ts';
import type { Visitor } from './visitor.ts';

export const comparisonsPath = '/api/fine-tuning/comparisons';

export type Whole = Comparison & { items: ComparisonPrompt[] };

/** Prepares a comparison and reads it. */
export async function newComparison(visitor: Visitor, typed: string[], more: object = {}): Promise<Whole> {
  const draft = { tunedModel: 'gpt-4o-mini', baseModel: 'gpt-4o', prompts: { typed }, ...more };
  const { status, body } = await visitor.post(comparisonsPath, draft);
  if (status !== 201) throw new Error(`No comparison: ${status} ${JSON.stringify(body)}`);
  return comparisonOf(visitor, body.id);
}

export async function comparisonOf(visitor: Visitor, id: number): Promise<Whole> {
  const { status, body } = await visitor.get(`${comparisonsPath}/${id}`);
  if (status !== 200) throw new Error(`No comparison: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const askPrompt = (visitor: Visitor, id: number, promptId: number, more: object = {}) =>
  visitor.post(`${comparisonsPath}/${id}/prompts/${promptId}/ask`, more);

export const votePrompt = (visitor: Visitor, id: number, promptId: number, vote: string | null) =>
  visitor.post(`${comparisonsPath}/${id}/prompts/${promptId}/vote`, { vote });

/** Asks and waits for the end of both answers. */
export async function compared(
  app: { url: string },
  visitor: Visitor,
  id: number,
  promptId: number,
  more: object = {},
): Promise<ComparisonPrompt> {
  const { status, body } = await askPrompt(visitor, id, promptId, more);
  if (status !== 202) throw new Error(`Not asked: ${status} ${JSON.stringify(body)}`);
  await Promise.all([body.tuned, body.base].map(({ runId }) => readEvents(app, visitor, runId)));
  const prompt = (await comparisonOf(visitor, id)).items.find((item) => item.id === promptId);
  if (!prompt) throw new Error('The prompt is gone');
  return prompt;
}
