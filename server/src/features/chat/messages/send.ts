import type { chat } from '@roster/contracts/chat';
import type { z } from 'zod';
import { findPrevious, idempotencyKey, resultOfConcurrentRequest, type StartedRuns } from './idempotency.ts';
import { findThread, type MessageContext, resolveTargets, startOnceCommitted, startRuns } from './start-turn.ts';
import { CommitUnknownError, storeQuestion } from './store-turn.ts';

type SendInput = z.output<typeof chat.send.body> & { userId: number; threadId: number };

/** Stores a message with an empty answer for each model, then starts the runs that write the answers. */
export async function sendMessage(context: MessageContext, input: SendInput): Promise<StartedRuns> {
  const { db, executor } = context;
  const { userId, threadId, message: text, fileIds = [], parentId, models = [], overBudget = false } = input;

  // `overBudget` is not part of the idempotency key.
  const key = idempotencyKey(input.clientId, 'send', threadId, text, fileIds, parentId ?? String(parentId), models);
  const previous = await findPrevious(db, userId, key);
  if (previous) return previous;

  executor.refuseWhenClosing(userId);
  const thread = await findThread(db, userId, threadId);
  const attached = await context.attachments.inspect(userId, fileIds);
  if (models.length > 0) await context.checkModels(userId, models, 'models');
  const targets = await resolveTargets(context, { userId, thread, models, overBudget });

  const start = { userId, key, overBudget };
  try {
    const stored = await storeQuestion(context, { userId, threadId, text, key, attached, parentId }, targets);
    if (!stored) return await resultOfConcurrentRequest(db, userId, key);
    return await startRuns(context, start, stored);
  } catch (error) {
    if (error instanceof CommitUnknownError) void startOnceCommitted(context, start, error.answers);
    throw error;
  }
}
