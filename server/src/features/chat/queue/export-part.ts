import type { OpenDatabase } from '#server/db/connect';
import { queuedMessageRepository } from '#server/features/chat/shared/queued-message-repository';
import type { ExportPart } from '#server/features/feature';

const atOnce = 200;

/** Messages that have not been sent yet, in the account export. */
export const queueExport = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['queued-messages.jsonl          messages that wait for the end of an answer, one on each line'],
  async *entries(userId) {
    yield { name: 'queued-messages.jsonl', content: lines(reader, userId) };
  },
});

async function* lines(reader: OpenDatabase['reader'], userId: number) {
  let last = 0;
  for (;;) {
    const page = await queuedMessageRepository(reader).afterId(userId, last, atOnce);
    const checksums = await queuedMessageRepository(reader).checksums(
      userId,
      page.flatMap(({ files }) => files.flatMap(({ id }) => id ?? [])),
    );
    for (const { id, threadId, files, ...message } of page) {
      last = id;
      const named = files.map((file) => ({ ...file, sha256: checksums.get(file.id ?? 0) ?? null }));
      yield `${JSON.stringify({ conversation: `conversations/${threadId}.json`, ...message, files: named })}\n`;
    }
    if (page.length < atOnce) return;
  }
}
