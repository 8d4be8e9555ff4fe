import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { versionRepository } from './repository.ts';

/** Small pages, because imported instructions may have 256,000 characters. */
const atOnce = 20;

/** All versions of all assistants, one per line. */
export function versionExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const versions = versionRepository(reader);

  async function* lines(userId: number) {
    let last = { assistantId: 0, number: 0 };
    for (;;) {
      const page = await versions.after(userId, last.assistantId, last.number, atOnce);
      const checksums = await versions.checksums(
        userId,
        page.flatMap(({ state }) => state.files.map(({ fileId }) => fileId)),
      );
      for (const { assistantId, number, origin, changed, createdAt, state } of page) {
        const { settings, files, chosenTools, programFields } = state;
        const line = {
          ...{ assistantId, number, origin, changed, createdAt, ...settings },
          files: files.map(({ filename }) => filename),
          checksums: files.map(({ fileId }) => checksums.get(fileId) ?? null),
          chosenTools: chosenTools.map(({ serverName: server, name, approval }) => ({ server, name, approval })),
          ...(programFields && { api: programFields }),
        };
        yield `${JSON.stringify(line)}\n`;
      }
      const end = page.at(-1);
      if (!end) break;
      last = end;
    }
  }

  return {
    description: ['assistant-versions.jsonl       what the assistants were at each save, one version on each line'],
    async *entries(userId) {
      yield { name: 'assistant-versions.jsonl', content: lines(userId) };
    },
  };
}
