import { type Kysely, sql } from 'kysely';
import { branchSteps } from '#server/conversation/branch-repository';
import type { Database } from '#server/db/schema';

/** Newest threads, and newest answers in them, that are searched. */
const threadsLookedAt = 500;
const answersLookedAt = 400;
/** Characters of a question that are read for a list. */
const shownCharacters = 600;

/** `model`: undefined for any. `programs`: whether to include threads of API clients. */
export type QuestionFilter = { assistantId: number; model?: string | undefined; programs: boolean };

/** Questions with complete answers. */
export function questionHistoryRepository(db: Kysely<Database>) {
  return {
    /** Newest answers first. */
    async answered(userId: number, { assistantId, model, programs }: QuestionFilter) {
      const own = db
        .selectFrom('threads')
        .select(['id', 'title', 'access_token_id'])
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .where('purpose', '=', 'chat')
        .orderBy('id', 'desc')
        .limit(threadsLookedAt);
      const threads = programs ? own : own.where('access_token_id', 'is', null);
      const answers = db
        .selectFrom(threads.as('t'))
        .innerJoin('runs', 'runs.thread_id', 't.id')
        .innerJoin('messages as answer', 'answer.id', 'runs.message_id')
        .innerJoin('messages as question', 'question.id', 'answer.parent_id')
        .select(['answer.id as answerId', 'question.id as questionId', 't.title', 'question.depth as earlier'])
        .select(sql<string>`substr(question.text, 1, ${sql.lit(shownCharacters)})`.as('text'))
        .select(['t.access_token_id as accessTokenId', 'answer.created_at as createdAt'])
        .where('runs.user_id', '=', userId)
        .where('runs.assistant_id', '=', assistantId)
        .where('runs.state', '=', 'complete')
        .where('question.role', '=', 'user')
        .orderBy('answer.id', 'desc')
        .limit(answersLookedAt);
      return (model === undefined ? answers : answers.where('runs.model', '=', model)).execute();
    },

    /** The answers among `ids` that this assistant wrote in a chat thread. */
    answers(userId: number, assistantId: number, model: string | undefined, ids: number[]) {
      const answers = db
        .selectFrom('messages as answer')
        .innerJoin('runs', 'runs.message_id', 'answer.id')
        .innerJoin('threads', 'threads.id', 'answer.thread_id')
        .select(['answer.id', 'answer.parent_id as questionId', 'answer.text', 'answer.created_at as createdAt'])
        .select(['runs.model', 'runs.assistant_version as version'])
        // The plus keeps SQLite from scanning all messages of the user.
        .where(sql<boolean>`+answer.user_id = ${userId}`)
        .where('answer.id', 'in', ids)
        .where('runs.assistant_id', '=', assistantId)
        .where('runs.state', '=', 'complete')
        .where('threads.purpose', '=', 'chat');
      return (model === undefined ? answers : answers.where('runs.model', '=', model)).execute();
    },

    stepsTo: (userId: number, ids: readonly number[]) => branchSteps(db, userId, ids),

    words: (userId: number, ids: number[]) =>
      db
        .selectFrom('messages')
        .select(['id', 'role', 'text'])
        .where('id', 'in', ids)
        .where(sql<boolean>`+user_id = ${userId}`)
        .execute(),

    /** Number of attached files by message. */
    async filesOf(userId: number, ids: number[]): Promise<Map<number, number>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('message_files')
        .select(({ fn }) => ['message_id', fn.countAll<number>().as('count')])
        .where('user_id', '=', userId)
        .where('message_id', 'in', ids)
        .groupBy('message_id')
        .execute();
      return new Map(rows.map(({ message_id: id, count }) => [id, Number(count)]));
    },
  };
}

export type QuestionHistoryRepository = ReturnType<typeof questionHistoryRepository>;
