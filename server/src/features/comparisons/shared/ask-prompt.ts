import type { comparisons as api, Comparison, ComparisonPrompt } from '@roster/contracts/comparisons/comparisons';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { InternalPrompt, InternalThreadService } from '#server/features/chat/internal-threads/service';
import {
  comparisonNotFound,
  instructionsFor,
  modelsOf,
  promptNotFound,
  sidesToAsk,
  threadsOf,
  toShown,
} from './answers.ts';
import { type ComparisonRepository, comparisonRepository, type PromptRecord } from './repository.ts';

export type AskingParts = {
  database: Pick<OpenDatabase, 'db'>;
  internalThreads: Pick<InternalThreadService, 'ask' | 'answers' | 'remove'>;
};

export type PromptIds = z.output<typeof api.ask.params>;
type AskThem = (questions: InternalPrompt[]) => Promise<number[]>;

export async function findComparison(rows: ComparisonRepository, userId: number, id: number): Promise<Comparison> {
  const comparison = await rows.find(userId, id);
  if (!comparison) throw comparisonNotFound();
  return comparison;
}

export async function findPrompt(rows: ComparisonRepository, userId: number, { id, promptId }: PromptIds) {
  const prompt = await rows.prompt(userId, id, promptId);
  if (!prompt) throw promptNotFound();
  return prompt;
}

export const shownPrompt = async (
  { internalThreads }: Pick<AskingParts, 'internalThreads'>,
  userId: number,
  prompt: PromptRecord,
) => toShown(prompt, await internalThreads.answers(userId, threadsOf([prompt])));

/** In the transaction that stores the questions; removes the replaced answers. */
export async function askSides(
  { internalThreads }: Pick<AskingParts, 'internalThreads'>,
  trx: Kysely<Database>,
  askThem: AskThem,
  userId: number,
  comparison: Comparison,
  promptId: number,
  again: boolean,
) {
  const rows = comparisonRepository(trx);
  const prompt = await findPrompt(rows, userId, { id: comparison.id, promptId });
  const answers = await internalThreads.answers(userId, threadsOf([prompt]), trx);
  const sides = sidesToAsk(comparison, toShown(prompt, answers), again).flatMap((side) => {
    const settings = comparison[side];
    return settings ? [{ side, settings }] : [];
  });
  if (sides.length === 0) return;
  const { turns, candidateThreadId, baselineThreadId } = prompt;
  const threadIds = await askThem(
    sides.map(({ settings }) => ({
      comparisonId: comparison.id,
      judgingId: null,
      turns,
      instructions: instructionsFor(settings, prompt),
      // Instructions of a prompt itself are examples, and to the letter.
      variables: settings.instructions === null ? null : { assistantName: comparison.assistant?.name ?? null },
      model: settings.model,
      temperature: settings.temperature,
      effort: settings.effort,
      responseSchema: settings.responseSchema,
      knowledgeOf: comparison.assistant?.id ?? null,
    })),
  );
  const before = { candidate: candidateThreadId, baseline: baselineThreadId };
  const next = { ...before };
  for (const [index, { side }] of sides.entries()) next[side] = threadIds[index] ?? null;
  await rows.setThreads(userId, promptId, { candidateThreadId: next.candidate, baselineThreadId: next.baseline });
  const replaced = sides.map(({ side }) => before[side]).filter((threadId) => threadId !== null);
  await internalThreads.remove(trx, userId, async () => replaced);
}

/** Asks the sides that have not answered this prompt yet; with `again`, both of them. */
export async function askPrompt(
  parts: AskingParts,
  userId: number,
  ids: PromptIds,
  { again = false, overBudget = false }: z.output<typeof api.ask.body>,
): Promise<ComparisonPrompt> {
  const rows = comparisonRepository(parts.database.db);
  const comparison = await findComparison(rows, userId, ids.id);
  const now = await shownPrompt(parts, userId, await findPrompt(rows, userId, ids));
  if (sidesToAsk(comparison, now, again).length === 0) return now;
  await parts.internalThreads.ask(userId, { overBudget, models: modelsOf(comparison) }, (trx, askThem) =>
    askSides(parts, trx, askThem, userId, comparison, ids.promptId, again),
  );
  return shownPrompt(parts, userId, await findPrompt(rows, userId, ids));
}
