import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockRuns, lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { type FoldedLog, hasStarted } from '#server/features/chat/runs/events/event-log';
import type { PartialAnswers } from '#server/features/chat/runs/events/partial-answers';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { PromptInput, RunSpec } from '#server/features/chat/runs/lifecycle/run-spec';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { countsAsActive, maxActiveThreads } from '#server/features/chat/shared/run-limits';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { openingTitle } from '#server/features/chat/shared/thread-title';
import type { CheckBudget } from '#server/features/usage/budgets';
import { AppError } from '#server/lib/errors';
import type { OpenKey } from '#server/provider/keys/open-key';
import { type InternalAnswer, type InternalThreadRepository, internalThreadRepository } from './repository.ts';

export type InternalPrompt = Omit<PromptInput, 'kind' | 'at'> & {
  comparisonId: number;
  /** Set for the prompt of a judge. */
  judgingId: number | null;
};

type Dependencies = {
  database: OpenDatabase;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start' | 'stop'>;
  /** Partial answers, read on a separate connection. */
  exported: Pick<PartialAnswers, 'logOf'>;
  instance: number;
  openKey: OpenKey;
  checkBudget: CheckBudget;
  now: () => number;
};

/** Threads of other features are in no project. */
const noContext = { assistantId: null, threadId: null };

type Options = {
  overBudget: boolean;
  /** The models that answer: their keys must be there. */
  models: readonly string[];
};
type Ask = (prompts: InternalPrompt[]) => Promise<number[]>;

/**
 * Prompts of other features. Each has a thread that no list shows, so its answer is an ordinary run: it can be watched
 * and stopped, survives a crash, and its cost is recorded.
 */
export function internalThreadService(dependencies: Dependencies) {
  const { db, reader } = dependencies.database;
  return {
    /**
     * Runs `work` in a transaction; the prompts it asks for are stored with it and started after the commit. `work`
     * gets the ids of their threads, in order.
     */
    ask: <T>(userId: number, options: Options, work: (trx: Kysely<Database>, ask: Ask) => Promise<T>): Promise<T> =>
      askTogether(dependencies, userId, options, work),
    /** @throws AppError if a prompt would be rejected now. Ignores the limit of active threads. */
    async check(userId: number, { overBudget, models }: Options) {
      dependencies.executor.refuseWhenClosing(userId);
      for (const model of new Set(models)) await dependencies.openKey(userId, model);
      if (!overBudget) await dependencies.checkBudget(userId, noContext);
    },
    answers: (userId: number, threadIds: number[], within: Kysely<Database> = db) =>
      internalThreadRepository(within).answers(userId, threadIds),
    /** For exports: reads on a separate connection, partial answers included. */
    exportedAnswers: (userId: number, threadIds: number[]) =>
      answersSoFar(internalThreadRepository(reader), dependencies.exported, userId, threadIds),
    /** Stops the runs of these threads. */
    async stop(userId: number, threadIds: number[]) {
      for (const { id, threadId } of await runRepository(db).inProgress(userId))
        if (threadIds.includes(threadId)) await dependencies.executor.stop(userId, id);
    },
    remove,
  };
}

export type InternalThreadService = ReturnType<typeof internalThreadService>;

async function askTogether<T>(
  dependencies: Dependencies,
  userId: number,
  { overBudget, models }: Options,
  work: (trx: Kysely<Database>, ask: Ask) => Promise<T>,
): Promise<T> {
  const { database, executor, instance, openKey, checkBudget, now } = dependencies;
  executor.refuseWhenClosing(userId);
  for (const model of new Set(models)) await openKey(userId, model);
  if (!overBudget) await checkBudget(userId, noContext);
  const specs: RunSpec[] = [];
  const result = await database.db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    return work(trx, async (prompts) => {
      await refuseTooMany(trx, userId, prompts.length);
      // One moment for both sides, so that the same instructions become the same text.
      const at = new Date(now()).toISOString();
      for (const prompt of prompts) specs.push(await storePrompt(trx, { userId, instance, at }, prompt));
      return specs.map(({ threadId }) => threadId);
    });
  });
  for (const spec of specs) executor.start(spec);
  return result;
}

async function refuseTooMany(trx: Kysely<Database>, userId: number, more: number) {
  const ofPeople = (await runRepository(trx).busy(userId)).filter(countsAsActive);
  const inProgress = new Set(ofPeople.map(({ threadId }) => threadId)).size;
  if (inProgress + more > maxActiveThreads)
    throw new AppError(
      'too_many_runs',
      `${maxActiveThreads} answers can be written at a time, and ${inProgress} ${inProgress === 1 ? 'is' : 'are'} being written already. Wait for one of them.`,
    );
}

async function answersSoFar(
  repository: InternalThreadRepository,
  { logOf }: Pick<PartialAnswers, 'logOf'>,
  userId: number,
  threadIds: number[],
): Promise<Map<number, InternalAnswer>> {
  const answers = await repository.answers(userId, threadIds);
  for (const [threadId, answer] of answers) {
    if (answer.state !== 'queued' && answer.state !== 'running') continue;
    const log = await logOf(answer.runId);
    // Ended since it was read: the text is in the message now and the events are deleted.
    const now = log ? withLog(answer, log) : (await repository.answers(userId, [threadId])).get(threadId);
    if (now) answers.set(threadId, now);
  }
  return answers;
}

const withLog = (answer: InternalAnswer, log: FoldedLog): InternalAnswer => ({
  ...answer,
  text: log.text,
  state: hasStarted(log) ? 'running' : answer.state,
});

/** Call in a transaction. `find` runs after the user's row is locked. Recorded costs are kept. */
async function remove(trx: Kysely<Database>, userId: number, find: () => Promise<number[]>) {
  await lockUserRow(trx, userId);
  const threadIds = await find();
  for (const threadId of threadIds) await lockRuns(trx, userId, threadId);
  for (const threadId of threadIds) {
    await searchRepository(trx).forgetThread(userId, threadId);
    await threadRepository(trx).delete(userId, threadId);
  }
}

type PromptOwner = { userId: number; instance: number; at: string };

/** Stores a thread with its messages, the empty answer last, and the run of that answer. */
async function storePrompt(
  trx: Kysely<Database>,
  { userId, instance, at }: PromptOwner,
  { comparisonId, judgingId, ...prompt }: InternalPrompt,
): Promise<RunSpec> {
  const { model, turns, responseSchema } = prompt;
  const internalThreads = internalThreadRepository(trx);
  const threadId = await internalThreads.insertThread(userId, { title: openingTitle(turns.at(-1)?.text ?? ''), at });
  let parentId: number | null = null;
  for (const [depth, turn] of [...turns, { role: 'assistant' as const, text: '' }].entries()) {
    const place = { threadId, parentId, position: depth + 1, depth };
    const id: number | undefined = await messageRepository(trx).insert(userId, { ...place, ...turn, key: null, at });
    if (id === undefined) throw new Error('a message without a client id cannot exist already');
    parentId = id;
  }
  const messageId = parentId ?? 0;
  await internalThreads.setAnswer(userId, threadId, messageId, turns.length + 1);
  const newRun = { threadId, messageId, assistantId: null, assistantVersion: null, model, beside: 0 };
  const { id: runId } = await runRepository(trx).insert(userId, { ...newRun, instance, responseSchema, at });
  return {
    ...{ runId, userId, threadId, messageId, assistantId: null, comparisonId, judgingId, apiRunId: null },
    input: { kind: 'prompt', at, ...prompt },
  };
}
