import type { HeldReason } from '@roster/contracts/message-queue';
import type { FastifyBaseLogger } from 'fastify';
import { RunActiveError } from '#server/conversation/errors';
import { sendQuestion } from '#server/features/chat/messages/send';
import { findThread, type MessageContext } from '#server/features/chat/messages/start-turn';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import {
  queuedMessageRepository,
  type StoredQueuedMessage,
} from '#server/features/chat/shared/queued-message-repository';
import type { ThreadRecord } from '#server/features/chat/shared/thread-repository';
import { AppError, UnavailableError } from '#server/lib/errors';

const startedAtOnce = 200;
/** A message that is edited while it is being sent is read again. */
const attempts = 3;
const chooseFirst = 'Several models have answered. Choose the answer to continue with, then send this message.';
const unexpected = 'Something went wrong on the server. Please try again.';

/** Sends messages in line when the answer before them has ended. Several processes may do so concurrently. */
export function queueStarter(context: MessageContext, log: FastifyBaseLogger) {
  const starting = new Set<Promise<void>>();

  /** Sends the first message of a thread, if no answer is being written there. Never rejects. */
  function startNext(userId: number, threadId: number): Promise<void> {
    const work = sendFirst(context, userId, threadId)
      .catch((err: unknown) => {
        if (!(err instanceof UnavailableError)) log.error({ err, threadId }, 'a queued message could not be sent');
      })
      .finally(() => starting.delete(work));
    starting.add(work);
    return work;
  }

  return {
    startNext,
    /** Sends what a crash, a restart or an outage has left in line. Call at intervals. */
    async startDue() {
      for (const { userId, threadId } of await queuedMessageRepository(context.db).due(startedAtOnce))
        await startNext(userId, threadId);
    },
    /** Waits for what is being started. */
    close: async () => void (await Promise.all(starting)),
  };
}

export type QueueStarter = ReturnType<typeof queueStarter>;

async function sendFirst(context: MessageContext, userId: number, threadId: number) {
  const queue = queuedMessageRepository(context.db);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const next = await queue.next(userId, threadId);
    if (!next || next.message.held !== null) return;
    try {
      if (await sendQueued(context, userId, next)) return;
    } catch (error) {
      if (isPassing(error)) return;
      const { reason, problem } = refusalOf(error);
      await queue.refuse(userId, next.message, reason, problem);
      if (error instanceof AppError) return;
      throw error;
    }
  }
}

/** True if the same message can be sent later without anybody's help. */
const isPassing = (error: unknown) =>
  error instanceof RunActiveError ||
  error instanceof UnavailableError ||
  (error instanceof AppError && ['unavailable', 'too_many_runs'].includes(error.code));

class AnswerNotChosenError extends AppError {
  constructor() {
    super('conflict', chooseFirst);
  }
}

function refusalOf(error: unknown): { reason: HeldReason; problem: string } {
  if (!(error instanceof AppError)) return { reason: 'refused', problem: unexpected };
  if (error instanceof AnswerNotChosenError) return { reason: 'choice', problem: error.message };
  return { reason: error.code === 'budget_exceeded' ? 'over_budget' : 'refused', problem: error.message };
}

/** undefined: the queue has changed, so it is read again. */
async function sendQueued(context: MessageContext, userId: number, next: StoredQueuedMessage) {
  const { key, overBudget } = next;
  const { threadId, text, models } = next.message;
  context.executor.refuseWhenClosing(userId);
  const thread = await findThread(context.db, userId, threadId);
  await rejectUnchosen(context, userId, thread);
  const fileIds = next.files.map(({ fileId }) => fileId);
  const claim = (trx: MessageContext['db']) => queuedMessageRepository(trx).take(userId, next);
  const question = { userId, text, key, parentId: undefined, claim };
  return sendQuestion(context, thread, { ...question, fileIds, models, overBudget });
}

/** A question continues one of several answers, which the user chooses. */
async function rejectUnchosen({ db }: MessageContext, userId: number, { headMessageId }: ThreadRecord) {
  const head = headMessageId === null ? undefined : await messageRepository(db).find(userId, headMessageId);
  if (head && head.together.length > 1 && head.chosenId === null) throw new AnswerNotChosenError();
}
