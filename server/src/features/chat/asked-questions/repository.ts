import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** So many of the newest conversations are looked through, and so many of their answers. */
const threadsLookedAt = 500;
const answersLookedAt = 400;
/** Of a question, as a list shows it. */
const shownCharacters = 600;

/** An assistant, the model that it answered with (undefined: any), and whether conversations of programs count. */
export type AskedOf = { assistantId: number; model?: string | undefined; programs: boolean };

/** A message on the branch of a question, without its text. */
export type Step = { id: number; parentId: number | null; bytes: number };

/** The questions that assistants have answered, as far as the answers are complete. */
export function askedQuestionRepository(db: Kysely<Database>) {
  return {
    /** The newest answers first. */
    async answered(userId: number, { assistantId, model, programs }: AskedOf) {
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

    /** These answers, as far as they are the assistant's and in a conversation. */
    answers(userId: number, assistantId: number, model: string | undefined, ids: number[]) {
      const answers = db
        .selectFrom('messages as answer')
        .innerJoin('runs', 'runs.message_id', 'answer.id')
        .innerJoin('threads', 'threads.id', 'answer.thread_id')
        .select(['answer.id', 'answer.parent_id as questionId', 'answer.text', 'answer.created_at as createdAt'])
        .select(['runs.model', 'runs.assistant_version as version'])
        // With a plus, so that SQLite looks up these messages instead of walking through all of their owner's.
        .where(sql<boolean>`+answer.user_id = ${userId}`)
        .where('answer.id', 'in', ids)
        .where('runs.assistant_id', '=', assistantId)
        .where('runs.state', '=', 'complete')
        .where('threads.purpose', '=', 'chat');
      return (model === undefined ? answers : answers.where('runs.model', '=', model)).execute();
    },

    /** These messages and all that come before them in their branches, each once. */
    async stepsTo(userId: number, ids: number[]): Promise<Map<number, Step>> {
      const { rows } = await sql<Step>`
        with recursive branch (id, parent_id) as (
          select id, parent_id from messages where id in (${sql.join(ids)}) and +user_id = ${userId}
          union
          select m.id, m.parent_id from messages m join branch b on m.id = b.parent_id
        ) select m.id, m.parent_id as "parentId", octet_length(m.text) as bytes
        from branch b join messages m on m.id = b.id`.execute(db);
      return new Map(rows.map((row) => [row.id, row]));
    },

    words: (userId: number, ids: number[]) =>
      db
        .selectFrom('messages')
        .select(['id', 'role', 'text'])
        .where('id', 'in', ids)
        .where(sql<boolean>`+user_id = ${userId}`)
        .execute(),

    /** How many files are attached to these messages. */
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

export type AskedQuestionRepository = ReturnType<typeof askedQuestionRepository>;
