import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { testSetRepository } from './repository.ts';

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
