import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { isPostgres } from '#server/db/engine';
import { lockRuns, lockThreads } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { AccountRemovalPart, ExportEntry, ExportPart } from '#server/features/feature';
import { messageExportRepository } from './messages/export-repository.ts';
import type { PartialAnswers } from './runs/events/partial-answers.ts';
import type { RunExecutor } from './runs/executor.ts';
import { runRepository } from './shared/run-repository.ts';
import { searchRepository } from './shared/search-repository.ts';
import { toExportedThread } from './shared/thread.ts';
import { type ThreadRepository, threadRepository } from './shared/thread-repository.ts';
import { conversationText, pagesOf } from './threads/export.ts';

const threadsAtOnce = 200;
/** Short threads are read together, up to this number of messages per query. */
const messagesAtOnce = 200;

type ThreadReader = Pick<ThreadRepository, 'afterId'>;
type ListedThread = Awaited<ReturnType<ThreadRepository['afterId']>>[number];

const fileOf = ({ id }: ListedThread) => `conversations/${id}.json`;

async function* batches(threads: ThreadReader, userId: number): AsyncGenerator<ListedThread[]> {
  let after = 0;
  for (;;) {
    const batch = await threads.afterId(userId, after, threadsAtOnce);
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    after = last.id;
  }
}

async function* index(threads: ThreadReader, userId: number) {
  for await (const batch of batches(threads, userId))
    for (const thread of batch) {
      const { title, assistantId, model, pinned, archived, madeBy, projectId, createdAt } = thread;
      const { updatedAt, messageCount } = thread;
      const line = {
        file: fileOf(thread),
        title,
        assistantId,
        model,
        pinned,
        archived,
        madeBy,
        projectId,
        createdAt,
        updatedAt,
        messageCount,
      };
      yield `${JSON.stringify(line)}\n`;
    }
}

/** The threads in the account export, read on a separate connection. */
export function conversationExport(
  { reader }: Pick<OpenDatabase, 'reader'>,
  partialAnswers: Pick<PartialAnswers, 'withWords'>,
): ExportPart {
  const threads = threadRepository(reader);
  const exportedMessages = messageExportRepository(reader);

  async function* conversations(userId: number): AsyncGenerator<ExportEntry> {
    for await (const batch of batches(threads, userId))
      for (const group of inGroups(batch)) {
        const [first] = group;
        if (first && first.messageCount > messagesAtOnce) {
          yield {
            name: fileOf(first),
            content: conversationText(
              toExportedThread(first),
              pagesOf(userId, first.id, { exportedMessages, partialAnswers }),
            ),
          };
          continue;
        }
        const ids = group.map(({ id }) => id);
        const messages = await partialAnswers.withWords(userId, await exportedMessages.ofThreads(userId, ids));
        const read = Map.groupBy(messages, ({ threadId }) => threadId);
        for (const thread of group)
          yield {
            name: fileOf(thread),
            content: conversationText(toExportedThread(thread), [read.get(thread.id) ?? []]),
          };
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

/** Groups consecutive threads to read together; a long thread is a group of its own. */
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

/** Runs stop within a second; those of a crashed instance are recovered within ten. */
const stoppedWithinMs = 30_000;

export function chatRemovalPart(executor: Pick<RunExecutor, 'withoutRuns'>): AccountRemovalPart {
  return {
    atRest: (userId, work) => executor.withoutRuns(userId, stoppedWithinMs, work),
    async remove(trx, userId) {
      if ((await runRepository(trx).inProgress(userId)).length > 0) return false;
      await deleteConversations(trx, userId);
      return true;
    },
  };
}

const threadsDeletedAtOnce = 20;

/** Deletes all threads of a user. On PostgreSQL they go with the user's row. */
async function deleteConversations(trx: Kysely<Database>, userId: number) {
  if (isPostgres(trx)) {
    // Lock in the order that deleting a thread does. Search entries are deleted by cascade.
    await lockRuns(trx, userId);
    await lockThreads(trx, userId);
    return;
  }
  const search = searchRepository(trx);
  const threads = threadRepository(trx);
  for (;;) {
    const some = await threads.some(userId, threadsDeletedAtOnce);
    if (some.length === 0) return;
    for (const { id } of some) {
      await search.forgetThread(userId, id);
      await threads.delete(userId, id);
    }
    // SQLite blocks the event loop: let streams be served between steps.
    await nextTurn();
  }
}
