import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { assistantDraftRepository } from './repository.ts';

/** Small pages, because instructions may have 256,000 characters. */
const atOnce = 20;

/** The forms of assistants that were left without saving, in an account export. */
export function assistantDraftExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const drafts = assistantDraftRepository(reader);

  async function* lines(userId: number) {
    let after = 0;
    for (;;) {
      const page = await drafts.after(userId, after, atOnce);
      for (const { id: _, ...draft } of page) yield `${JSON.stringify(draft)}\n`;
      const last = page.at(-1);
      if (!last) break;
      after = last.id;
    }
  }

  return {
    description: ['assistant-drafts.jsonl         forms of assistants that were left without saving, one per line'],
    async *entries(userId) {
      yield { name: 'assistant-drafts.jsonl', content: lines(userId) };
    },
  };
}
