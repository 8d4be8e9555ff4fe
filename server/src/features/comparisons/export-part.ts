import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { ExportPart } from '#server/features/feature';
import { draftRepository } from './drafts/repository.ts';
import { judgeThreadsOf, toVerdict } from './judging/verdicts.ts';
import { threadsOf, toShown } from './shared/answers.ts';
import { judgingRepository } from './shared/judging-repository.ts';
import { comparisonRepository, type PromptRecord } from './shared/repository.ts';
import { testSetRepository } from './test-sets/repository.ts';
import { resultRepository } from './test-sets/result-repository.ts';

const atOnce = 20;

/** Test sets in the account export; their runs are among the comparisons. Uses a separate read connection. */
export function testSetExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const sets = testSetRepository(reader);

  async function* lines(userId: number) {
    let last = 0;
    for (;;) {
      const page = await sets.after(userId, last, atOnce);
      for (const { id, assistantId, name, createdAt, updatedAt } of page) {
        const questions = (await sets.questions(userId, id)).map(({ id: _, ...question }) => question);
        yield `${JSON.stringify({ id, assistantId, name, createdAt, updatedAt, questions })}\n`;
      }
      const end = page.at(-1);
      if (!end) return;
      last = end.id;
    }
  }

  return {
    description: ['test-sets.jsonl  the test sets of the assistants, with their questions'],
    async *entries(userId) {
      yield { name: 'test-sets.jsonl', content: lines(userId) };
    },
  };
}

/** Judgings of a comparison in the account export; `prompt` counts the prompts from 1. */
async function exportedJudgings(
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
