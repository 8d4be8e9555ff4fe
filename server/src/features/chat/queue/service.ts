import type { messageQueue, QueuedMessage } from '@roster/contracts/message-queue';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { clientIdUsed, idempotencyKey } from '#server/features/chat/messages/idempotency';
import { findThread, type MessageContext } from '#server/features/chat/messages/start-turn';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { type IdempotencyKey, messageRepository } from '#server/features/chat/shared/message-repository';
import { noThread } from '#server/features/chat/shared/not-found';
import { queuedMessageRepository } from '#server/features/chat/shared/queued-message-repository';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { AppError } from '#server/lib/errors';
import type { QueueStarter } from './start-next.ts';

/** Messages that can wait in one conversation. */
const messageQueueLimit = 10;

type Dependencies = {
  context: MessageContext;
  executor: Pick<RunExecutor, 'stop'>;
  starter: Pick<QueueStarter, 'startNext'>;
};
type Draft = z.output<typeof messageQueue.add.body>;
type Change = z.output<typeof messageQueue.change.body>;
type Queue = z.output<typeof messageQueue.list.output>;

const notQueued = () => new AppError('not_found', 'This message no longer waits: it has been sent or removed.');

/** With the user's row locked, so that the order and the limit hold. */
const withUserLocked = <T>(
  db: Kysely<Database>,
  userId: number,
  work: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    return work(trx);
  });

async function list(db: Kysely<Database>, userId: number, threadId: number): Promise<Queue> {
  await findThread(db, userId, threadId);
  return { items: await queuedMessageRepository(db).ofThread(userId, threadId) };
}

async function find(trx: Kysely<Database>, userId: number, id: number): Promise<QueuedMessage> {
  const found = await queuedMessageRepository(trx).find(userId, id);
  if (!found) throw notQueued();
  return found.message;
}

/** Stores a message in line, unless an earlier request with its key has done so. */
async function store(context: MessageContext, userId: number, threadId: number, draft: Draft) {
  const { db } = context;
  const { message: text, fileIds = [], models = [], overBudget = false } = draft;
  const key = idempotencyKey(draft.clientId, 'queue', threadId, text, fileIds, models);
  await findThread(db, userId, threadId);
  if (await isRepeated(db, userId, key)) return;
  const files = await context.attachments.inspect(userId, fileIds);
  if (models.length > 0) await context.checkModels(userId, models, 'models');
  const at = new Date().toISOString();
  await withUserLocked(db, userId, async (trx) => {
    if (!(await threadRepository(trx).openedAs(userId, threadId))) throw noThread();
    // Another request with the same key may have stored it meanwhile.
    if (await isRepeated(trx, userId, key)) return;
    const queue = queuedMessageRepository(trx);
    if ((await queue.count(userId, threadId)) >= messageQueueLimit) throw queueFull();
    await queue.insert(userId, { threadId, text, files, models, overBudget, key, at });
  });
}

/** Messages that users line up while an answer is being written. */
export function messageQueueService({ context, executor, starter }: Dependencies) {
  const { db } = context;
  return {
    list: (userId: number, threadId: number) => list(db, userId, threadId),
    async add(userId: number, threadId: number, draft: Draft): Promise<Queue> {
      await store(context, userId, threadId, draft);
      await starter.startNext(userId, threadId);
      return list(db, userId, threadId);
    },
    async change(userId: number, id: number, { message, fileIds, editing }: Change): Promise<QueuedMessage> {
      const files = fileIds && (await context.attachments.inspect(userId, fileIds));
      const changed = await withUserLocked(db, userId, async (trx) => {
        const queue = queuedMessageRepository(trx);
        await find(trx, userId, id);
        if (message !== undefined) await queue.setText(userId, id, message);
        if (files) await queue.setFiles(userId, id, files);
        if (editing !== undefined) await queue.setEditing(userId, id, editing);
        return find(trx, userId, id);
      });
      if (editing === false) await starter.startNext(userId, changed.threadId);
      return changed;
    },
    async remove(userId: number, id: number) {
      const { threadId } = await withUserLocked(db, userId, async (trx) => {
        const found = await find(trx, userId, id);
        await queuedMessageRepository(trx).remove(userId, id);
        return found;
      });
      await starter.startNext(userId, threadId);
    },
    async send(userId: number, id: number, overBudget: boolean): Promise<Queue> {
      const { threadId, runIds } = await withUserLocked(db, userId, async (trx) => {
        const found = await find(trx, userId, id);
        await queuedMessageRepository(trx).sendFirst(userId, found, overBudget);
        const active = await runRepository(trx).inProgress(userId);
        // Only these: by the time they have stopped, the answer to this message may be among the active ones.
        const runIds = active.filter((run) => run.threadId === found.threadId).map((run) => run.id);
        return { threadId: found.threadId, runIds };
      });
      for (const runId of runIds) await executor.stop(userId, runId);
      await starter.startNext(userId, threadId);
      return list(db, userId, threadId);
    },
  };
}

export type MessageQueueService = ReturnType<typeof messageQueueService>;

const queueFull = () =>
  new AppError(
    'conflict',
    `${messageQueueLimit} messages are already waiting. Remove one, or wait until the next one has been sent.`,
  );

/** True if an earlier request with this key has stored the message. @throws AppError if it stored another one */
async function isRepeated(db: Kysely<Database>, userId: number, { id, digest }: IdempotencyKey): Promise<boolean> {
  const sent = await messageRepository(db).byClientId(userId, id);
  const storedDigest = sent ? sent.digest : await queuedMessageRepository(db).digestOf(userId, id);
  if (storedDigest === undefined) return false;
  if (storedDigest !== digest) throw clientIdUsed();
  return true;
}
