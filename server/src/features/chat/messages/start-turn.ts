import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { PartialAnswers } from '#server/features/chat/runs/events/partial-answers';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { forNewRun } from '#server/features/chat/runs/lifecycle/run-spec';
import type { AttachmentReader } from '#server/features/chat/shared/attachments';
import { type ChatTarget, type ChatTargetFinder, checkKeys } from '#server/features/chat/shared/chat-target';
import { type IdempotencyKey, messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { type ThreadRecord, threadRepository } from '#server/features/chat/shared/thread-repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { BudgetedCall } from '#server/features/usage/budget-repository';
import type { CheckBudget } from '#server/features/usage/budgets';
import { UnavailableError } from '#server/lib/errors';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { OpenKey } from '#server/provider/keys/open-key';
import type { AutomaticSummaries } from './automatic-summaries.ts';
import { findPrevious, type StartedRuns } from './idempotency.ts';
import { rejectRetiredModels } from './reject-retired-models.ts';
import { CommitUnknownError, type StoredAnswer, type StoredTurn } from './store-turn.ts';

/** Dependencies of sending, regenerating and continuing. */
export type MessageContext = {
  db: Kysely<Database>;
  instance: number;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start' | 'continueEnded'>;
  openKey: OpenKey;
  /** @throws AppError if a budget is used up */
  checkBudget: CheckBudget;
  /** @throws AppError, naming the field, for models that are known to be unusable. Does not call the provider. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
  findTargets: ChatTargetFinder;
  retiredModels: RetirementGuard;
  attachments: Pick<AttachmentReader, 'inspect'>;
  partialAnswers: Pick<PartialAnswers, 'withWords'>;
  /** Starts summaries before questions. */
  earlier: Pick<AutomaticSummaries, 'begin'>;
};

/** A commit whose outcome is unknown is looked up for this long; after that, crash recovery takes over. */
const lookUpWithinMs = 55_000;

export async function findThread(db: Kysely<Database>, userId: number, threadId: number): Promise<ThreadRecord> {
  const thread = await threadRepository(db).find(userId, threadId);
  if (!thread) throw noThread();
  return thread;
}

type TurnRequest = { userId: number; thread: ThreadRecord; models: string[]; overBudget: boolean };

/** Finds the targets that will answer. @throws AppError if a key is missing, a model is retired or a budget is used up */
export async function resolveTargets(context: MessageContext, wanted: TurnRequest): Promise<ChatTarget[]> {
  const { userId, thread, models, overBudget } = wanted;
  const targets = await context.findTargets(userId, thread, models);
  for (const target of targets) await checkKeys(context.openKey, userId, target);
  await rejectRetiredModels(context, { userId, thread, models, targets });
  if (!overBudget) await context.checkBudget(userId, callFor(thread, targets));
  return targets;
}

/** The call that a budget counts: several models answer for the same assistant. */
export const callFor = ({ id: threadId }: Pick<ThreadRecord, 'id'>, [first]: readonly ChatTarget[]): BudgetedCall => ({
  assistantId: first?.assistantId ?? null,
  threadId,
});

type TurnStart = { userId: number; key: IdempotencyKey | null; overBudget: boolean };

/** Stores a turn and starts its runs. undefined: `store` has stored nothing. */
export async function storeAndStart(
  context: MessageContext,
  start: TurnStart,
  store: () => Promise<StoredTurn | undefined>,
): Promise<StartedRuns | undefined> {
  try {
    const stored = await store();
    return stored && (await startRuns(context, start, stored));
  } catch (error) {
    if (error instanceof CommitUnknownError) void startOnceCommitted(context, start, error.answers);
    throw error;
  }
}

async function startRuns(
  { db, executor }: MessageContext,
  { userId, overBudget }: TurnStart,
  { messageId, answers }: StoredTurn,
): Promise<StartedRuns> {
  for (const answer of answers) executor.start(forNewRun({ userId, overBudget, ...answer }));
  const message = await messageRepository(db).find(userId, messageId);
  const [first] = answers;
  if (!message || !first) throw noMessage();
  return { runs: answers.map(({ run }) => run), run: first.run, message };
}

/** If the commit succeeded after all, starts these runs; a retry with the same client id then returns them. */
async function startOnceCommitted(
  { db, executor }: MessageContext,
  { userId, key, overBudget }: TurnStart,
  answers: readonly StoredAnswer[],
) {
  const found = await retryUntilAvailable(AbortSignal.timeout(lookUpWithinMs), async () => {
    const previous = await findPrevious(db, userId, key);
    // The database may still be committing it.
    if (!previous) throw new UnavailableError('database', 'not seen yet');
    return previous;
  }).catch(() => undefined);
  for (const answer of answers)
    if (found?.runs.some(({ id, state }) => id === answer.run.id && state === 'queued'))
      executor.start(forNewRun({ userId, overBudget, ...answer }));
}
