import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/feature';
import type { SideQuestionService } from '#server/features/chat/side-questions/service';
import { comparisonRepository } from './repository.ts';
import { threadsOf, toShown } from './service.ts';

const atOnce = 20;

/** The comparisons in the account export. Read on a connection of its own. */
export function comparisonExport(
  { reader }: Pick<OpenDatabase, 'reader'>,
  answersOf: SideQuestionService['exportedAnswers'],
): ExportPart {
  const comparisons = comparisonRepository(reader);

  async function* lines(userId: number) {
    let before: number | undefined;
    for (;;) {
      const page = await comparisons.page(userId, atOnce, before);
      for (const { id, tunedModel, baseModel, temperature, createdAt } of page) {
        const prompts = await comparisons.prompts(userId, id);
        const answers = await answersOf(userId, threadsOf(prompts));
        const kept = prompts.map((prompt) => {
          const { id: _, ...shown } = toShown(prompt, answers);
          return shown;
        });
        yield `${JSON.stringify({ tunedModel, baseModel, temperature, createdAt, prompts: kept })}\n`;
      }
      before = page.at(-1)?.id;
      if (before === undefined) return;
    }
  }

  return {
    description: ['fine-tuning/comparisons.jsonl  the comparisons of models, with their prompts, answers and votes'],
    async *entries(userId) {
      yield { name: 'fine-tuning/comparisons.jsonl', content: lines(userId) };
    },
  };
}
