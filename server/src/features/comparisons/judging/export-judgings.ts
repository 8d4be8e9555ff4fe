import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { judgingRepository } from '#server/features/comparisons/shared/judging-repository';
import type { PromptRecord } from '#server/features/comparisons/shared/repository';
import { judgeThreadsOf, toVerdict } from './verdicts.ts';

/** Judgings of a comparison in the account export; `prompt` counts the prompts from 1. */
export async function exportedJudgings(
  reader: Kysely<Database>,
  answersOf: InternalThreadService['exportedAnswers'],
  userId: number,
  comparisonId: number,
  prompts: readonly PromptRecord[],
) {
  const rows = judgingRepository(reader);
  const judgings = [];
  for (const { id, model, criteria, createdAt } of await rows.list(userId, comparisonId)) {
    const records = await rows.verdicts(userId, id);
    const answers = await answersOf(userId, judgeThreadsOf(records));
    const verdicts = records.flatMap((record) => {
      const index = prompts.findIndex((prompt) => prompt.id === record.promptId);
      const prompt = prompts[index];
      if (!prompt) return [];
      const { promptId: _, isDue: __, ...verdict } = toVerdict(record, prompt, answers);
      return [{ prompt: index + 1, ...verdict }];
    });
    judgings.push({ model, criteria, createdAt, verdicts });
  }
  return judgings;
}
