import { promptExportFormat } from '@roster/contracts/prompts/prompts';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { promptRepository } from './repository.ts';

/** Small pages, because a text may have 32,000 characters. */
const atOnce = 50;

/** Writes all prompts of a user as the import reads them. Uses a separate read connection. */
export function promptExport({ reader }: Pick<OpenDatabase, 'reader'>) {
  const prompts = promptRepository(reader);
  return async function* (userId: number, exportedAt: string) {
    const head = JSON.stringify({ format: promptExportFormat, version: 1, exportedAt });
    yield `${head.slice(0, -1)},"prompts":[`;
    let separator = '\n';
    let last = '';
    for (;;) {
      const page = await prompts.after(userId, last, atOnce);
      for (const { id: _, ...prompt } of page) {
        yield `${separator}${JSON.stringify(prompt)}`;
        separator = ',\n';
      }
      const end = page.at(-1);
      if (!end) break;
      last = end.name;
    }
    yield '\n]}\n';
  };
}

export const promptExportPart = (database: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['prompts.json                   the prompts, as Prompts > Import reads them'],
  async *entries(userId) {
    yield { name: 'prompts.json', content: promptExport(database)(userId, new Date().toISOString()) };
  },
});
