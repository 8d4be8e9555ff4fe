import type { ReasoningEffort } from '@roster/contracts/models/models';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockRuns, lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import { conversationsAtOnce, isBeingWritten } from '#server/features/chat/messages/answer-store';
import { nothingKnown } from '#server/features/chat/messages/answerer';
import { messageRepository } from '#server/features/chat/messages/repository';
import { formOf } from '#server/features/chat/messages/run-order';
import { type FoldedLog, hasBegun } from '#server/features/chat/runs/event-log';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { RunOrder } from '#server/features/chat/runs/live-run';
import type { PartialAnswers } from '#server/features/chat/runs/partial-answers';
import { runRepository } from '#server/features/chat/runs/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import { threadRepository } from '#server/features/chat/threads/repository';
import { openingTitle } from '#server/features/chat/threads/titles';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ConversationTurn } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { type SideAnswer, type SideQuestionRepository, sideQuestionRepository } from './repository.ts';

export type SideQuestion = {
  comparisonId: number;
  /** Where a judge is asked. */
  judgingId: number | null;
  model: string;
  instructions: string;
  /** The question last. */
  turns: { role: 'user' | 'assistant'; text: string }[];
  /** null: the model's own. Left out where the model is known to take none. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The form of the answer, as the text of a JSON schema; null: none. */
  responseSchema: string | null;
  /** The assistant whose files it may search; null: of none. */
  knowledgeOf: number | null;
};

type Dependencies = {
  database: OpenDatabase;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start' | 'stop'>;
  /** What answers have come to, read beside the main connection. */
  exported: Pick<PartialAnswers, 'logOf'>;
  catalogue: Catalogue;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
};

type Options = { overBudget: boolean };
type Ask = (questions: SideQuestion[]) => Promise<number[]>;

/**
 * Side questions. Each is a thread of its own that no list shows, so that its answer has all that
 * a run has: it belongs to the server, can be watched and stopped, survives a crash, and its cost is recorded.
 */
export function sideQuestionService(dependencies: Dependencies) {
  const { db, reader } = dependencies.database;
  return {
    /**
     * Stores what `work` asks for in its transaction and starts all of it afterwards; together or not at all. `work`
     * gets the ids of the threads, in order, and keeps them.
     */
    ask: <T>(userId: number, options: Options, work: (trx: Kysely<Database>, ask: Ask) => Promise<T>): Promise<T> =>
      askTogether(dependencies, userId, options, work),
    /** @throws AppError where asking now would be refused, but for a want of room */
    async check(userId: number, { overBudget }: Options) {
      dependencies.executor.refuseWhenClosing(userId);
      await dependencies.openKey(userId);
      if (!overBudget) await dependencies.checkBudget(userId, null);
    },
    answers: (userId: number, threadIds: number[], within: Kysely<Database> = db) =>
      sideQuestionRepository(within).answers(userId, threadIds),
    /** For exports: read on a connection of its own, with the words that have arrived of what is being written. */
    exportedAnswers: (userId: number, threadIds: number[]) =>
      answersSoFar(sideQuestionRepository(reader), dependencies.exported, userId, threadIds),
    /** Stops what is being written in these threads. */
    async stop(userId: number, threadIds: number[]) {
      for (const { id, threadId } of await runRepository(db).underWay(userId))
        if (threadIds.includes(threadId)) await dependencies.executor.stop(userId, id);
    },
    remove,
  };
}

export type SideQuestionService = ReturnType<typeof sideQuestionService>;

async function askTogether<T>(
  dependencies: Dependencies,
  userId: number,
  { overBudget }: Options,
  work: (trx: Kysely<Database>, ask: Ask) => Promise<T>,
): Promise<T> {
  const { database, executor, instance, openKey, checkBudget } = dependencies;
  executor.refuseWhenClosing(userId);
  const apiKey = await openKey(userId);
  if (!overBudget) await checkBudget(userId, null);
  const orders: RunOrder[] = [];
  const result = await database.db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    return work(trx, async (questions) => {
      await refuseTooMany(trx, userId, questions.length);
      for (const question of questions) {
        const stored = await store(trx, userId, instance, question);
        orders.push({ ...stored, ...requestOf(dependencies, userId, apiKey, question) });
      }
      return orders.map(({ threadId }) => threadId);
    });
  });
  for (const order of orders) executor.start(order);
  return result;
}

async function refuseTooMany(trx: Kysely<Database>, userId: number, more: number) {
  const ofPeople = (await runRepository(trx).busy(userId)).filter(isBeingWritten);
  const underWay = new Set(ofPeople.map(({ threadId }) => threadId)).size;
  if (underWay + more > conversationsAtOnce)
    throw new AppError(
      'too_many_runs',
      `${conversationsAtOnce} answers can be written at a time, and ${underWay} ${underWay === 1 ? 'is' : 'are'} being written already. Wait for one of them.`,
    );
}

function requestOf(
  { catalogue, knowledgeOf }: Pick<Dependencies, 'catalogue' | 'knowledgeOf'>,
  userId: number,
  apiKey: Secret,
  { model, instructions, turns, temperature, effort, responseSchema, knowledgeOf: assistantId }: SideQuestion,
): Pick<RunOrder, 'prepare'> {
  const sent: ConversationTurn[] = turns.map(({ role, text }) => ({ role, text }));
  const parameters = catalogue.parameters(model, { temperature, effort });
  const request = { apiKey, model, instructions, turns: sent, ...parameters, ...formOf(responseSchema) };
  return {
    async prepare() {
      const { search, notes } = assistantId === null ? nothingKnown : await knowledgeOf(userId, assistantId);
      return { request: { ...request, search }, notes, leftOut: 0, filesLeftOut: 0, fileTokens: 0 };
    },
  };
}

async function answersSoFar(
  sideQuestions: SideQuestionRepository,
  { logOf }: Pick<PartialAnswers, 'logOf'>,
  userId: number,
  threadIds: number[],
): Promise<Map<number, SideAnswer>> {
  const answers = await sideQuestions.answers(userId, threadIds);
  for (const [threadId, answer] of answers) {
    if (answer.state !== 'queued' && answer.state !== 'running') continue;
    const log = await logOf(answer.runId);
    // Ended since it was read: then it is in the message, and its events are gone.
    const now = log ? withLog(answer, log) : (await sideQuestions.answers(userId, [threadId])).get(threadId);
    if (now) answers.set(threadId, now);
  }
  return answers;
}

const withLog = (answer: SideAnswer, log: FoldedLog): SideAnswer => ({
  ...answer,
  text: log.text,
  state: hasBegun(log) ? 'running' : answer.state,
});

/**
 * Inside a transaction. `find` is asked when nobody else can ask or remove any more. What the answers have cost stays
 * recorded.
 */
async function remove(trx: Kysely<Database>, userId: number, find: () => Promise<number[]>) {
  await lockUserRow(trx, userId);
  const threadIds = await find();
  for (const threadId of threadIds) await lockRuns(trx, userId, threadId);
  for (const threadId of threadIds) {
    await searchRepository(trx).forgetThread(userId, threadId);
    await threadRepository(trx).delete(userId, threadId);
  }
}

/** Stores a thread with its messages, the empty answer last, and the run of that. */
async function store(trx: Kysely<Database>, userId: number, instance: number, question: SideQuestion) {
  const at = new Date().toISOString();
  const { model, turns } = question;
  const sideQuestions = sideQuestionRepository(trx);
  const threadId = await sideQuestions.insertThread(userId, { title: openingTitle(turns.at(-1)?.text ?? ''), at });
  let parentId: number | null = null;
  for (const [depth, turn] of [...turns, { role: 'assistant' as const, text: '' }].entries()) {
    const place = { threadId, parentId, position: depth + 1, depth };
    const id: number | undefined = await messageRepository(trx).insert(userId, {
      ...place,
      ...turn,
      client: null,
      at,
    });
    if (id === undefined) throw new Error('a message without a client id cannot be there already');
    parentId = id;
  }
  const messageId = parentId ?? 0;
  await sideQuestions.setAnswer(userId, threadId, messageId, turns.length + 1);
  const run = await runRepository(trx).insert(userId, {
    threadId,
    messageId,
    assistantId: null,
    assistantVersion: null,
    model,
    beside: 0,
    instance,
    responseSchema: question.responseSchema,
    at,
  });
  return {
    runId: run.id,
    userId,
    threadId,
    messageId,
    assistantId: null,
    comparisonId: question.comparisonId,
    judgingId: question.judgingId,
    programRunId: null,
  };
}
