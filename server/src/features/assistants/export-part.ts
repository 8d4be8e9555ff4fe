import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { exportExtras, toExport } from './service.ts';
import { assistantRepository } from './shared/repository.ts';

/** Small pages, because imported instructions may have 256,000 characters. */
const atOnce = 20;

/** The assistants in an account export: the file that Import reads back. */
export function assistantExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const assistants = assistantRepository(reader);

  async function* text(userId: number) {
    const { assistants: _, ...head } = toExport([]);
    yield `${JSON.stringify(head).slice(0, -1)},"assistants":[`;
    let separator = '\n';
    let cursor: number | undefined;
    for (;;) {
      const page = await assistants.page(userId, atOnce, cursor);
      const ids = page.map(({ id }) => id);
      for (const assistant of toExport(page, await exportExtras(reader, userId, ids)).assistants) {
        yield `${separator}${JSON.stringify(assistant)}`;
        separator = ',\n';
      }
      cursor = page.at(-1)?.id;
      if (cursor === undefined) break;
    }
    yield '\n]}\n';
  }

  async function* index(userId: number) {
    let cursor: number | undefined;
    for (;;) {
      const page = await assistants.page(userId, atOnce, cursor);
      for (const { id: assistantId, name, isDefault, openaiAssistantId, version, createdAt, updatedAt } of page) {
        const line = { assistantId, name, isDefault, openaiAssistantId, version, createdAt, updatedAt };
        yield `${JSON.stringify(line)}\n`;
      }
      cursor = page.at(-1)?.id;
      if (cursor === undefined) return;
    }
  }

  return {
    description: [
      'assistants.json                the assistants, as Settings > Assistants > Import reads them',
      'assistant-index.jsonl          the numbers that other files give the assistants, with their times',
    ],
    async *entries(userId) {
      yield { name: 'assistants.json', content: text(userId) };
      yield { name: 'assistant-index.jsonl', content: index(userId) };
    },
  };
}
