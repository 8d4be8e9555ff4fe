import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { holdRuns, takeTurn } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { conversationsAtOnce } from '#server/features/chat/messages/answer-store';
import { messageRepository } from '#server/features/chat/messages/repository';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { RunOrder } from '#server/features/chat/runs/live-run';
import { runRepository } from '#server/features/chat/runs/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import { threadRepository } from '#server/features/chat/threads/repository';
import { openingTitle } from '#server/features/chat/threads/titles';
import type { Catalogue } from '#server/provider/catalogue';
import type { ConversationTurn } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { sideQuestionRepository } from './repository.ts';

export type SideQuestion = {
  comparisonId: number;
  model: string;
  instructions: string;
  /** The question last. */
  turns: { role: 'user' | 'assistant'; text: string }[];
  /** null: the model's own. Left out where the model is known to take none. */
  temperature: number | null;
};

type Dependencies = {
  database: OpenDatabase;
  executor: RunExecutor;
  catalogue: Catalogue;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
};

/**
 * Side questions. Each is a thread of its own that no list shows, so that its answer has all that
 * a run has: it belongs to the server, can be watched and stopped, survives a crash, and its cost is recorded.
 */
export function sideQuestionService({ database, executor, catalogue, instance, openKey, checkBudget }: Dependencies) {
  const { db, reader } = database;

  function asked(apiKey: Secret, { model, instructions, turns, temperature }: SideQuestion): Pick<RunOrder, 'prepare'> {
    const sent: ConversationTurn[] = turns.map(({ role, text }) => ({ role, text }));
    const parameters = catalogue.parameters(model, { temperature, effort: null });
    const request = { apiKey, model, instructions, turns: sent, ...parameters };
    return { prepare: async () => ({ request, notes: [], leftOut: 0, filesLeftOut: 0, fileTokens: 0 }) };
  }

  return {
    /**
     * Stores what `work` asks for in its transaction and starts all of it afterwards; together or not at all. `work`
     * gets the ids of the threads, in order, and keeps them.
     */
    async ask<T>(
      userId: number,
      { overBudget }: { overBudget: boolean },
      work: (trx: Kysely<Database>, ask: (questions: SideQuestion[]) => Promise<number[]>) => Promise<T>,
    ): Promise<T> {
      executor.refuseWhenClosing(userId);
      const apiKey = await openKey(userId);
      if (!overBudget) await checkBudget(userId, null);
      const orders: RunOrder[] = [];
      const result = await db.transaction().execute(async (trx) => {
        const runs = runRepository(trx);
        await takeTurn(trx, userId);
        return work(trx, async (questions) => {
          const underWay = new Set((await runs.underWay(userId)).map(({ threadId }) => threadId)).size;
          if (underWay + questions.length > conversationsAtOnce)
            throw new AppError(
              'too_many_runs',
              `${conversationsAtOnce} answers can be written at a time, and ${underWay} ${underWay === 1 ? 'is' : 'are'} being written already. Wait for one of them.`,
            );
          for (const question of questions)
            orders.push({ ...(await store(trx, userId, instance, question)), ...asked(apiKey, question) });
          return orders.map(({ threadId }) => threadId);
        });
      });
      for (const order of orders) executor.start(order);
      return result;
    },
    answers: (userId: number, threadIds: number[], within: Kysely<Database> = db) =>
      sideQuestionRepository(within).answers(userId, threadIds),
    /** For exports: read on a connection of its own. */
    answersFromReader: sideQuestionRepository(reader).answers,
    /** Stops the open runs of these threads. */
    async stop(userId: number, threadIds: number[]) {
      for (const { id, threadId } of await runRepository(db).underWay(userId))
        if (threadIds.includes(threadId)) await executor.stop(userId, id);
    },
    /**
     * Inside a transaction. `find` is called once no other call can add or remove side questions. The usage of the answers stays
     * recorded.
     */
    async remove(trx: Kysely<Database>, userId: number, find: () => Promise<number[]>) {
      await takeTurn(trx, userId);
      const threadIds = await find();
      for (const threadId of threadIds) await holdRuns(trx, userId, threadId);
      for (const threadId of threadIds) {
        await searchRepository(trx).forgetThread(userId, threadId);
        await threadRepository(trx).delete(userId, threadId);
      }
    },
  };
}

export type SideQuestionService = ReturnType<typeof sideQuestionService>;

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
    model,
    beside: 0,
    instance,
    at,
  });
  return { runId: run.id, userId, threadId, messageId, assistantId: null, comparisonId: question.comparisonId };
}
