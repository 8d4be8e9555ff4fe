import type { chat } from '@roster/contracts/chat';
import type { z } from 'zod';
import { findPrevious, idempotencyKey, resultOfConcurrentRequest, type StartedRuns } from './idempotency.ts';
import { findQuestion } from './read.ts';
import { findThread, type MessageContext, resolveTargets, storeAndStart } from './start-turn.ts';
import { storeAnswer } from './store-turn.ts';

type RegenerateInput = z.output<typeof chat.regenerate.body> & { userId: number; messageId: number };

/** Starts another answer to a question; `messageId` is the question or one of its answers. */
export async function regenerateAnswer(context: MessageContext, input: RegenerateInput): Promise<StartedRuns> {
  const { db, executor } = context;
  const { userId, messageId, clientId, model, overBudget = false } = input;

  const key = clientId === undefined ? null : idempotencyKey(clientId, 'regenerate', messageId, model ?? null);
  const previous = await findPrevious(db, userId, key);
  if (previous) return previous;

  executor.refuseWhenClosing(userId);
  const question = await findQuestion(db, userId, messageId);
  const thread = await findThread(db, userId, question.threadId);
  const models = model === undefined ? [] : [model];
  await context.checkModels(userId, models, 'model');
  const targets = await resolveTargets(context, { userId, thread, models, overBudget });

  const store = () => storeAnswer(context, { userId, question, key }, targets);
  const started = await storeAndStart(context, { userId, key, overBudget }, store);
  return started ?? resultOfConcurrentRequest(db, userId, key);
}
