import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { branchSteps } from '#server/conversation/branch-repository';
import type { Database } from '#server/db/schema';

/**
 * An answer of which an example can be made. `rejectedId` is a worse answer to the same question; 0 means its own
 * original text.
 */
export type Candidate = { sourceId: number; rejectedId: number };

export type RatedAnswer = {
  id: number;
  questionId: number | null;
  text: string;
  value: 'good' | 'bad' | null;
  correction: string | null;
  /** Current instructions of the assistant that gave it. */
  instructions: string | null;
};

/** A user's rated answers, including those in archived conversations, but not in comparisons. */
export function ratedAnswerRepository(db: Kysely<Database>) {
  /** `assistantId` undefined: answers of all assistants. */
  const rated = (userId: number, assistantId: number | undefined) => sql`
    message_ratings r
    join messages m on m.id = r.message_id
    join threads t on t.id = m.thread_id and t.purpose = 'chat'
    left join runs on runs.message_id = m.id
    where r.user_id = ${userId} ${assistantId === undefined ? sql`` : sql`and runs.assistant_id = ${assistantId}`}`;

  const chat = (userId: number, assistantId: number | undefined): RawBuilder<unknown> =>
    sql`select r.message_id as source_id, 0 as rejected_id from ${rated(userId, assistantId)}
      and (r.value = 'good' or r.correction is not null)`;

  const preference = (userId: number, assistantId: number | undefined): RawBuilder<unknown> =>
    sql`select r.message_id as source_id, 0 as rejected_id from ${rated(userId, assistantId)}
        and r.correction is not null
      union all
      select r.message_id as source_id, worse.message_id as rejected_id
      from message_ratings worse join messages w on w.id = worse.message_id, ${rated(userId, assistantId)}
        and r.value = 'good' and m.parent_id = w.parent_id and worse.user_id = ${userId} and worse.value = 'bad'
        and coalesce(r.correction, m.text) <> w.text`;

  const candidates = { chat, preference };

  return {
    /** In the order of the answers, without those already in the dataset. */
    async candidates(
      userId: number,
      format: DatasetFormat,
      assistantId: number | undefined,
      datasetId: number | undefined,
    ): Promise<Candidate[]> {
      const isNew =
        datasetId === undefined
          ? sql``
          : sql`where not exists (select 1 from dataset_examples e where e.dataset_id = ${datasetId}
              and e.source_message_id = c.source_id and coalesce(e.rejected_message_id, 0) = c.rejected_id)`;
      const { rows } = await sql<{ source_id: number; rejected_id: number }>`
        select c.source_id, c.rejected_id from (${candidates[format](userId, assistantId)}) as c ${isNew}
        order by c.source_id, c.rejected_id`.execute(db);
      return rows.map((row) => ({ sourceId: row.source_id, rejectedId: row.rejected_id }));
    },

    async counts(userId: number, assistantId: number | undefined) {
      const { rows } = await sql<{ good: number; bad: number; corrected: number }>`
        select coalesce(sum(case when r.value = 'good' then 1 else 0 end), 0) as good,
          coalesce(sum(case when r.value = 'bad' then 1 else 0 end), 0) as bad,
          coalesce(sum(case when r.correction is not null then 1 else 0 end), 0) as corrected
        from ${rated(userId, assistantId)}`.execute(db);
      const count = async (format: DatasetFormat) => {
        const counted = await sql<{ count: number }>`
          select count(*) as count from (${candidates[format](userId, assistantId)}) as c`.execute(db);
        return counted.rows[0]?.count ?? 0;
      };
      const { good = 0, bad = 0, corrected = 0 } = rows[0] ?? {};
      return { good, bad, corrected, chat: await count('chat'), preference: await count('preference') };
    },

    async answers(userId: number, ids: number[]): Promise<Map<number, RatedAnswer>> {
      const rows = await db
        .selectFrom('messages')
        .leftJoin('message_ratings', 'message_ratings.message_id', 'messages.id')
        .leftJoin('runs', 'runs.message_id', 'messages.id')
        .leftJoin('assistants', (join) =>
          join.onRef('assistants.id', '=', 'runs.assistant_id').on('assistants.user_id', '=', userId),
        )
        .select([
          'messages.id',
          'messages.parent_id as questionId',
          'messages.text',
          'message_ratings.value',
          'message_ratings.correction',
          'assistants.instructions',
        ])
        .where('messages.id', 'in', ids)
        // The plus makes SQLite look up these messages, instead of walking through all of the owner's.
        .where(sql<boolean>`+messages.user_id = ${userId}`)
        .execute();
      return new Map(rows.map((row) => [row.id, row]));
    },

    stepsTo: (userId: number, ids: readonly number[]) => branchSteps(db, userId, ids),

    /** Includes the names of attached files. */
    async words(userId: number, ids: number[]) {
      const rows = await db
        .selectFrom('messages')
        .leftJoin('message_ratings', 'message_ratings.message_id', 'messages.id')
        .select(['messages.id', 'messages.role', 'messages.text', 'message_ratings.correction'])
        .where('messages.id', 'in', ids)
        .where(sql<boolean>`+messages.user_id = ${userId}`)
        .execute();
      const files = await db
        .selectFrom('message_files')
        .select(['message_id', 'filename'])
        .where('user_id', '=', userId)
        .where('message_id', 'in', ids)
        .orderBy('message_id')
        .orderBy('position')
        .execute();
      const byMessage = Map.groupBy(files, (file) => file.message_id);
      return new Map(
        rows.map(({ id, role, text, correction }) => [
          id,
          { role, text: correction ?? text, files: byMessage.get(id)?.map(({ filename }) => filename) ?? [] },
        ]),
      );
    },
  };
}

export type RatedAnswerRepository = ReturnType<typeof ratedAnswerRepository>;
