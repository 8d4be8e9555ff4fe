import type { chat } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { framesToContinue } from '#server/features/chat/runs/events/event-log';
import { type EventBatch, eventRepository } from '#server/features/chat/runs/events/event-repository';
import { forContinuedRun, type RunSpec } from '#server/features/chat/runs/lifecycle/run-spec';
import { type IdempotencyKey, messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { serverCallRepository } from '#server/features/chat/shared/server-call-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { usageRepository } from '#server/features/usage/repository';
import { AppError } from '#server/lib/errors';
import { clientIdUsed, idempotencyKey, type StartedRuns } from './idempotency.ts';
import { rejectRetiredModels } from './reject-retired-models.ts';
import { findThread, type MessageContext } from './start-turn.ts';
import { rejectSecondRun } from './store-turn.ts';

type ContinueInput = z.output<typeof chat.continue.body> & { userId: number; messageId: number };

/** Thrown if an earlier request with the same key has continued the answer; rolls the transaction back. */
class AlreadyContinuedError extends Error {}

const refused = (why: string) => new AppError('conflict', why);
const byApiClient = 'This answer was requested through the API, so it cannot be continued here.';

/** Continues an answer that ended early, in the same message and by the same run. */
export async function continueAnswer(context: MessageContext, input: ContinueInput): Promise<StartedRuns> {
  const { db, executor } = context;
  const { userId, messageId, overBudget = false } = input;
  const key = idempotencyKey(input.clientId, 'continue', messageId);
  const place = await messageRepository(db).place(userId, messageId);
  if (!place) throw noMessage();
  const thread = await findThread(db, userId, place.threadId);
  if (await isContinued(db, userId, messageId, key)) return startedRun(db, userId, messageId);

  executor.refuseWhenClosing(userId);
  if (thread.madeBy !== null) throw refused(byApiClient);
  try {
    const { id: runId, assistantId, model } = await findContinuable(db, userId, messageId, key);
    const models = model === '' ? [] : [model];
    const [target] = await context.findTargets(userId, { ...thread, assistantId, model: null }, models);
    if (!target) throw noMessage();
    await context.openKey(userId, target.model);
    await rejectRetiredModels(context, { userId, thread, models, targets: [target] });
    if (!overBudget) await context.checkBudget(userId, { assistantId, threadId: thread.id });
    const spec = forContinuedRun({
      ...{ runId, userId, threadId: thread.id, messageId, overBudget },
      // The rest of a structured output does not match the schema by itself.
      target: { ...target, schema: null },
      head: { id: messageId, depth: place.depth },
    });
    await executor.continueEnded(spec, () => reopenRun(context, spec, key));
  } catch (error) {
    if (!(error instanceof AlreadyContinuedError)) throw error;
  }
  return startedRun(db, userId, messageId);
}

/** True if an earlier request with the same key has continued the answer. @throws AppError if the key was used otherwise */
async function isContinued(db: Kysely<Database>, userId: number, messageId: number, key: IdempotencyKey) {
  if (await messageRepository(db).byClientId(userId, key.id)) throw clientIdUsed();
  return (await runRepository(db).written(userId, messageId))?.clientId === key.id;
}

async function startedRun(db: Kysely<Database>, userId: number, messageId: number): Promise<StartedRuns> {
  const run = await runRepository(db).ofMessage(userId, messageId);
  const message = await messageRepository(db).find(userId, messageId);
  if (!run || !message) throw noMessage();
  return { message, run, runs: [run] };
}

/** Makes the ended run active again: its folded log becomes its first batch of events. */
function reopenRun(
  { db, instance }: MessageContext,
  { userId, threadId, messageId }: Pick<RunSpec, 'userId' | 'threadId' | 'messageId'>,
  key: IdempotencyKey,
) {
  return db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    const threads = threadRepository(trx);
    if (!(await threads.takePositions(userId, threadId, 0))) throw noThread();
    const written = await findContinuable(trx, userId, messageId, key);
    await rejectSecondRun(trx, userId, threadId, null);
    const runs = runRepository(trx);
    const ended = await runs.finished(userId, written.id);
    if (!ended) throw noMessage();
    const { frames, last } = framesToContinue(ended.log, ended.usage && { type: 'usage', ...ended.usage });
    const batch: EventBatch = { runId: written.id, first: 1, last, frames };
    const calls = await serverCallRepository(trx).ofRun(userId, written.id);
    // The last request of an answer has no number of its own among its steps.
    const step = 2 + Math.max(calls.at(-1)?.step ?? 0, await usageRepository(trx).lastStep(userId, written.id));
    await runs.continueEnded(userId, written.id, { step, client: key, instance });
    await eventRepository(trx).store([], [batch]);
    await threads.showEnd(userId, threadId, { headMessageId: undefined, updatedAt: new Date().toISOString() });
    return { batches: [batch], step, calls };
  });
}

/** The run of an answer that can be continued. @throws AppError */
async function findContinuable(db: Kysely<Database>, userId: number, messageId: number, key: IdempotencyKey) {
  const message = await messageRepository(db).find(userId, messageId);
  const written = await runRepository(db).written(userId, messageId);
  if (!message) throw noMessage();
  if (!written) throw refused('Only an answer can be continued.');
  if (written.clientId === key.id) throw new AlreadyContinuedError();
  if (written.apiRunId !== null) throw refused(byApiClient);
  if (written.state === 'queued' || written.state === 'running' || written.state === 'waiting')
    throw new AppError('run_in_progress', 'This answer is being written.');
  if (written.state === 'complete' && message.endedEarly === null)
    throw refused('This answer is complete. Ask for more in a new message.');
  if (message.text.trim() === '') throw refused('There is no text to continue. Ask for a new answer.');
  if (await messageRepository(db).hasChildren(userId, messageId))
    throw refused('The conversation continues after this answer. Ask for the rest in a new message.');
  return written;
}
