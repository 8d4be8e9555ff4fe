import type { OpenDatabase } from '#server/db/connect';
import type { ExportEntry, ExportPart } from '#server/features/feature';
import { messageExportRepository } from './messages/export-repository.ts';
import type { PartialAnswers } from './runs/partial-answers.ts';
import { conversationText, pagesOf } from './threads/export.ts';
import { type ThreadRepository, threadRepository } from './threads/repository.ts';
import { toKeptThread } from './threads/thread.ts';

const threadsAtOnce = 200;
/** Conversations that have no more than this together are read with one query. */
const messagesAtOnce = 200;

type Reading = Pick<ThreadRepository, 'afterId'>;
type Listed = Awaited<ReturnType<ThreadRepository['afterId']>>[number];

const fileOf = ({ id }: Listed) => `conversations/${id}.json`;

async function* batches(threads: Reading, userId: number): AsyncGenerator<Listed[]> {
  let after = 0;
  for (;;) {
    const batch = await threads.afterId(userId, after, threadsAtOnce);
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    after = last.id;
  }
}

async function* index(threads: Reading, userId: number) {
  for await (const batch of batches(threads, userId))
    for (const thread of batch) {
      const { title, assistantId, model, pinned, archived, madeBy, createdAt, updatedAt, messageCount } = thread;
      const line = {
        file: fileOf(thread),
        title,
        assistantId,
        model,
        pinned,
        archived,
        madeBy,
        createdAt,
        updatedAt,
        messageCount,
      };
      yield `${JSON.stringify(line)}\n`;
    }
}

/** The conversations in the account export. Read on a connection of its own. */
export function conversationExport(
  { reader }: Pick<OpenDatabase, 'reader'>,
  underWay: Pick<PartialAnswers, 'withWords'>,
): ExportPart {
  const threads = threadRepository(reader);
  const kept = messageExportRepository(reader);

  async function* conversations(userId: number): AsyncGenerator<ExportEntry> {
    for await (const batch of batches(threads, userId))
      for (const group of inGroups(batch)) {
        const [first] = group;
        if (first && first.messageCount > messagesAtOnce) {
          yield {
            name: fileOf(first),
            content: conversationText(toKeptThread(first), pagesOf(userId, first.id, { kept, underWay })),
          };
          continue;
        }
        const ids = group.map(({ id }) => id);
        const messages = await underWay.withWords(userId, await kept.ofThreads(userId, ids));
        const read = Map.groupBy(messages, ({ threadId }) => threadId);
        for (const thread of group)
          yield { name: fileOf(thread), content: conversationText(toKeptThread(thread), [read.get(thread.id) ?? []]) };
      }
  }

  return {
    description: [
      'conversations/INDEX.jsonl      all conversations, one on each line, with the name of its file',
      'conversations/<number>.json    one conversation with all its branches',
    ],
    async *entries(userId) {
      yield { name: 'conversations/INDEX.jsonl', content: index(threads, userId) };
      yield* conversations(userId);
    },
  };
}

/** Neighbours whose messages are few enough to be read together; a long conversation is alone. */
function inGroups<T extends { messageCount: number }>(threads: T[]): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const thread of threads) {
    const group = groups.at(-1);
    if (group && thread.messageCount <= room) group.push(thread);
    else {
      groups.push([thread]);
      room = messagesAtOnce;
    }
    room -= thread.messageCount;
  }
  return groups;
}
