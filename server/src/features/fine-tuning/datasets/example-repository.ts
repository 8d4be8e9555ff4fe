import type { DatasetExample, DatasetTurn } from '@roster/contracts/fine-tuning/datasets';
import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { IncludedExample } from './split.ts';

type Review = DatasetExample['review'];

/** The content of an example, which a model learns. */
export type ExampleContent = Pick<DatasetExample, 'instructions' | 'turns' | 'answer' | 'rejected'>;

/** A gathered example. `rejectedId`: the worse answer, if it is another message. */
export type NewExample = ExampleContent & { sourceId: number; rejectedId: number | null };

/** An example without its source in this installation. */
type StoredExample = Omit<DatasetExample, 'source'> & { sourceMessageId: number | null; createdAt: string };

type Row = Pick<
  Selectable<Database['dataset_examples']>,
  'id' | 'instructions' | 'turns' | 'answer' | 'rejected' | 'review' | 'edited'
>;

const columns = ['e.id', 'e.instructions', 'e.turns', 'e.answer', 'e.rejected', 'e.review', 'e.edited'] as const;

function toExample({ id, instructions, turns, answer, rejected, review, edited }: Row): Omit<DatasetExample, 'source'> {
  const read: DatasetTurn[] = JSON.parse(turns);
  return { id, instructions, turns: read, answer, rejected, review, edited: edited === 1 };
}

export function exampleRepository(db: Kysely<Database>) {
  const ofDataset = (userId: number, datasetId: number) =>
    db
      .selectFrom('dataset_examples as e')
      .select(columns)
      .where('e.user_id', '=', userId)
      .where('e.dataset_id', '=', datasetId);

  const withSource = (userId: number, datasetId: number) =>
    ofDataset(userId, datasetId)
      .leftJoin('messages', 'messages.id', 'e.source_message_id')
      .leftJoin('threads', (join) =>
        join.onRef('threads.id', '=', 'messages.thread_id').on('threads.purpose', '=', 'chat'),
      )
      .select(['messages.id as message_id', 'threads.id as thread_id', 'threads.title']);
  type WithSource = Awaited<ReturnType<ReturnType<typeof withSource>['executeTakeFirstOrThrow']>>;

  const toSourced = (row: WithSource): DatasetExample => ({
    ...toExample(row),
    source:
      row.message_id === null || row.thread_id === null
        ? null
        : { threadId: row.thread_id, messageId: row.message_id, title: row.title ?? '' },
  });

  return {
    async page(
      userId: number,
      datasetId: number,
      { after, limit, review }: { after: number; limit: number; review?: Review | undefined },
    ): Promise<DatasetExample[]> {
      let query = withSource(userId, datasetId).where('e.id', '>', after).orderBy('e.id').limit(limit);
      if (review) query = query.where('e.review', '=', review);
      return (await query.execute()).map(toSourced);
    },
    /**
     * Included examples of at most `longest` characters, the best first: kept by a review, then written by a user, then
     * short.
     */
    async best(userId: number, datasetId: number, longest: number, limit: number): Promise<ExampleContent[]> {
      const rows = await ofDataset(userId, datasetId)
        .leftJoin('message_ratings', 'message_ratings.message_id', 'e.source_message_id')
        .where('e.review', '!=', 'left_out')
        .where(sql<boolean>`length(e.answer) <= ${longest} and length(e.turns) <= ${2 * longest}`)
        .orderBy(sql`case e.review when 'kept' then 0 else 1 end`)
        .orderBy(sql`case when e.edited = 1 or message_ratings.correction is not null then 0 else 1 end`)
        .orderBy(sql`length(e.answer) + length(e.turns)`)
        .orderBy('e.id')
        .limit(limit)
        .execute();
      return rows.map(toExample);
    },
    async find(userId: number, datasetId: number, exampleId: number): Promise<DatasetExample | undefined> {
      const row = await withSource(userId, datasetId).where('e.id', '=', exampleId).executeTakeFirst();
      return row && toSourced(row);
    },
    async count(userId: number, datasetId: number): Promise<number> {
      const { count } = await db
        .selectFrom('dataset_examples')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('dataset_id', '=', datasetId)
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Bytes of all texts together. Databases know the length of a text without reading it. */
    async bytes(userId: number, datasetId: number): Promise<number> {
      const { bytes } = await db
        .selectFrom('dataset_examples')
        .select(
          sql<number>`coalesce(sum(octet_length(instructions) + octet_length(turns) + octet_length(answer)
            + coalesce(octet_length(rejected), 0)), 0)`.as('bytes'),
        )
        .where('user_id', '=', userId)
        .where('dataset_id', '=', datasetId)
        .executeTakeFirstOrThrow();
      return bytes;
    },
    /**
     * Requires the transaction that has taken the dataset. Skips examples that are in it already, and those whose
     * message was deleted meanwhile; PostgreSQL locks the others until the transaction ends. Returns how many were
     * added.
     */
    async insert(userId: number, datasetId: number, examples: NewExample[], at: string): Promise<number> {
      const sources = db
        .selectFrom('messages')
        .select('id')
        .where('id', 'in', [...new Set(examples.map(({ sourceId }) => sourceId))])
        .where(sql<boolean>`+user_id = ${userId}`)
        .orderBy('id');
      const found = await (isPostgres(db) ? sources.forKeyShare() : sources).execute();
      const there = new Set(found.map(({ id }) => id));
      const rows = examples.filter(({ sourceId }) => there.has(sourceId));
      if (rows.length === 0) return 0;
      const inserted = await db
        .insertInto('dataset_examples')
        .values(
          rows.map(({ sourceId, rejectedId, instructions, turns, answer, rejected }) => ({
            user_id: userId,
            dataset_id: datasetId,
            source_message_id: sourceId,
            rejected_message_id: rejectedId,
            instructions,
            turns: JSON.stringify(turns),
            answer,
            rejected,
            review: 'unreviewed' as const,
            created_at: at,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return inserted.length;
    },
    async update(
      userId: number,
      datasetId: number,
      exampleId: number,
      change: ExampleContent & { review: Review; edited: boolean },
    ) {
      await db
        .updateTable('dataset_examples')
        .set({
          instructions: change.instructions,
          turns: JSON.stringify(change.turns),
          answer: change.answer,
          rejected: change.rejected,
          review: change.review,
          edited: change.edited ? 1 : 0,
        })
        .where('user_id', '=', userId)
        .where('dataset_id', '=', datasetId)
        .where('id', '=', exampleId)
        .execute();
    },
    /**
     * Examples for a training file, in order, each with its conversation. If that was deleted, examples that begin
     * alike count as one conversation.
     */
    async included(userId: number, datasetId: number): Promise<IncludedExample[]> {
      const beginning = isPostgres(db)
        ? sql<string>`e.turns::json -> 0 ->> 'text'`
        : sql<string>`e.turns ->> '$[0].text'`;
      const rows = await db
        .selectFrom('dataset_examples as e')
        .leftJoin('messages as m', 'm.id', 'e.source_message_id')
        .select(['e.id', 'm.thread_id'])
        .select(sql<string | null>`case when m.thread_id is null then ${beginning} end`.as('beginning'))
        .where('e.user_id', '=', userId)
        .where('e.dataset_id', '=', datasetId)
        .where('e.review', 'in', ['unreviewed', 'kept'])
        .orderBy('e.id')
        .execute();
      return rows.map(({ id, thread_id: threadId, beginning }) => ({
        id,
        conversation: threadId === null ? `deleted: ${beginning ?? ''}` : `${threadId}`,
      }));
    },
    async lessons(userId: number, datasetId: number, ids: number[]): Promise<ExampleContent[]> {
      const rows = await ofDataset(userId, datasetId).where('e.id', 'in', ids).orderBy('e.id').execute();
      return rows.map(toExample);
    },
    /** Examples by id, from any dataset. */
    async some(userId: number, ids: number[]): Promise<Map<number, ExampleContent>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('dataset_examples as e')
        .select(columns)
        .where('e.user_id', '=', userId)
        .where('e.id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, toExample(row)]));
    },
    async kept(userId: number, datasetId: number, after: number, limit: number): Promise<StoredExample[]> {
      const rows = await ofDataset(userId, datasetId)
        .select(['e.source_message_id', 'e.created_at'])
        .where('e.id', '>', after)
        .orderBy('e.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...toExample(row),
        sourceMessageId: row.source_message_id,
        createdAt: row.created_at,
      }));
    },
  };
}
