import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { storeFileRepository } from './file-repository.ts';
import { clientVectorStoreRepository, statusOf } from './repository.ts';

const atOnce = 100;

/** Vector stores made by clients, with the names of their files. */
export function vectorStoreExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const stores = clientVectorStoreRepository(reader);
  const files = storeFileRepository(reader);

  async function* lines(userId: number) {
    let after: number | null = null;
    for (;;) {
      const page = await stores.page(userId, { limit: atOnce, order: 'asc', after, before: null });
      for (const { id, assistantId, name, description, metadata, ...store } of page.slice(0, atOnce)) {
        after = id;
        // An assistant's store is part of assistants.json.
        if (assistantId !== null) continue;
        const { expiresAfterDays, lastActiveAt, createdAt } = store;
        const its = (await files.all(userId, id)).map(({ filename, state, attributes, chunking, addedAt }) => ({
          filename,
          status: statusOf(state),
          attributes: JSON.parse(attributes),
          chunking: chunking === null ? null : JSON.parse(chunking),
          addedAt,
        }));
        const line = { name, description, metadata: JSON.parse(metadata), expiresAfterDays, lastActiveAt, createdAt };
        yield `${JSON.stringify({ ...line, files: its })}\n`;
      }
      if (page.length <= atOnce) return;
    }
  }

  return {
    description: [
      'vector-stores.jsonl            the vector stores that programs have made, with the names of their files',
    ],
    async *entries(userId) {
      yield { name: 'vector-stores.jsonl', content: lines(userId) };
    },
  };
}
