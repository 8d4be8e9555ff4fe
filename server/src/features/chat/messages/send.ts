import type { chat } from '@roster/contracts/chat';
import type { z } from 'zod';
import type { ThreadRecord } from '#server/features/chat/shared/thread-repository';
import { findPrevious, idempotencyKey, resultOfConcurrentRequest, type StartedRuns } from './idempotency.ts';
import { findThread, type MessageContext, resolveTargets, storeAndStart } from './start-turn.ts';
import { type NewQuestion, storeQuestion } from './store-turn.ts';

type SendInput = z.output<typeof chat.send.body> & { userId: number; threadId: number };

/** Sends a message once per client id, and starts the runs that write its answers. */
export async function sendMessage(context: MessageContext, input: SendInput): Promise<StartedRuns> {
  const { db, executor } = context;
  const { userId, threadId, message: text, fileIds = [], parentId, models = [], overBudget = false } = input;

  // `overBudget` is not part of the idempotency key.
  const key = idempotencyKey(input.clientId, 'send', threadId, text, fileIds, parentId ?? String(parentId), models);
  const previous = await findPrevious(db, userId, key);
  if (previous) return previous;

  executor.refuseWhenClosing(userId);
  const thread = await findThread(db, userId, threadId);
  const started = await sendQuestion(context, thread, { userId, text, key, parentId, fileIds, models, overBudget });
  return started ?? resultOfConcurrentRequest(db, userId, key);
}

type QuestionToSend = Pick<NewQuestion, 'userId' | 'text' | 'key' | 'parentId' | 'claim'> & {
  fileIds: number[];
  models: string[];
  overBudget: boolean;
};

/**
 * Stores a message with an empty answer for each model, then starts the runs that write the answers.
 * undefined: a concurrent request with the same key has stored it, or `claim` refuses.
 */
export async function sendQuestion(
  context: MessageContext,
  thread: ThreadRecord,
  { fileIds, models, overBudget, ...question }: QuestionToSend,
): Promise<StartedRuns | undefined> {
  const { userId, key } = question;
  const attached = await context.attachments.inspect(userId, fileIds);
  if (models.length > 0) await context.checkModels(userId, models, 'models');
  const targets = await resolveTargets(context, { userId, thread, models, overBudget });
  return storeAndStart(context, { userId, key, overBudget }, () =>
    storeQuestion(context, { ...question, threadId: thread.id, attached }, targets),
  );
}
