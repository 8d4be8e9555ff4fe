import type { OpenDatabase } from '#server/db/connect';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { ExportPart } from '#server/features/feature';
import { draftRepository } from './drafts/repository.ts';
import { exportedJudgings } from './judging/export-judgings.ts';
import { threadsOf, toShown } from './shared/answers.ts';
import { comparisonRepository } from './shared/repository.ts';
import { testSetRepository } from './test-sets/repository.ts';
import { resultRepository } from './test-sets/result-repository.ts';

const atOnce = 20;

/** Comparisons in the account export. Uses a separate read connection. */
export function comparisonExport(
  { reader }: Pick<OpenDatabase, 'reader'>,
  answersOf: InternalThreadService['exportedAnswers'],
): ExportPart {
  const comparisons = comparisonRepository(reader);
  const drafts = draftRepository(reader);

  async function* lines(userId: number) {
    let before: number | undefined;
    for (;;) {
      const page = await comparisons.page(userId, atOnce, { before });
      const ids = page.map(({ id }) => id);
      const sets = await testSetRepository(reader).ofRuns(userId, ids);
      const results = await resultRepository(reader).results(userId, [...sets.keys()]);
      const resultOf = new Map(results.map(({ promptId, result }) => [promptId, result]));
      for (const { id, kind, title, assistant, candidate, baseline, createdAt } of page) {
        const prompts = await comparisons.prompts(userId, id);
        const answers = await answersOf(userId, threadsOf(prompts));
        const kept = prompts.map((prompt) => {
          const { id: promptId, isDue: _, ...shown } = toShown(prompt, answers);
          return { ...shown, result: resultOf.get(promptId) ?? null };
        });
        const whole = {
          kind,
          title,
          assistantId: assistant?.id ?? null,
          testSetId: sets.get(id)?.id ?? null,
          candidate,
          baseline,
          draft: (await drafts.find(userId, id)) ?? null,
          createdAt,
          prompts: kept,
          judgings: await exportedJudgings(reader, answersOf, userId, id, prompts),
        };
        yield `${JSON.stringify(whole)}\n`;
      }
      before = page.at(-1)?.id;
      if (before === undefined) return;
    }
  }

  return {
    description: ['comparisons.jsonl  the comparisons, with their prompts, answers, votes and verdicts'],
    async *entries(userId) {
      yield { name: 'comparisons.jsonl', content: lines(userId) };
    },
  };
}
