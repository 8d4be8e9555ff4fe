import type { Dataset, DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { shareLockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';

/** Start of a page: after this dataset, in the order of the list. */
export type DatasetPosition = { updatedAt: string; id: number };

type Row = { id: number; name: string; format: DatasetFormat; created_at: string; updated_at: string };
type Counts = Map<string, number>;

function toDataset({ id, name, format, created_at: createdAt, updated_at: updatedAt }: Row, counts: Counts): Dataset {
  const count = (review: string) => counts.get(review) ?? 0;
  const [kept, leftOut, unreviewed] = [count('kept'), count('left_out'), count('unreviewed')];
  const examples = kept + leftOut + unreviewed;
  return { id, name, format, examples, kept, leftOut, unreviewed, createdAt, updatedAt };
}

export function datasetRepository(db: Kysely<Database>) {
  async function withCounts(userId: number, rows: Row[]): Promise<Dataset[]> {
    if (rows.length === 0) return [];
    const counted = await db
      .selectFrom('dataset_examples')
      .select((eb) => ['dataset_id', 'review', eb.fn.countAll<number>().as('count')])
      .where('user_id', '=', userId)
      .where(
        'dataset_id',
        'in',
        rows.map(({ id }) => id),
      )
      .groupBy(['dataset_id', 'review'])
      .execute();
    const byDataset = Map.groupBy(counted, (row) => row.dataset_id);
    return rows.map((row) =>
      toDataset(row, new Map(byDataset.get(row.id)?.map(({ review, count }) => [review, count]) ?? [])),
    );
  }

  return {
    /** Last changed first. */
    async page(userId: number, limit: number, after: DatasetPosition | undefined): Promise<Dataset[]> {
      let query = db
        .selectFrom('datasets')
        .select(['id', 'name', 'format', 'created_at', 'updated_at'])
        .where('user_id', '=', userId)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (after) query = query.where(sql<boolean>`(updated_at, id) < (${after.updatedAt}, ${after.id})`);
      return withCounts(userId, await query.execute());
    },
    async find(userId: number, datasetId: number): Promise<Dataset | undefined> {
      const rows = await db
        .selectFrom('datasets')
        .select(['id', 'name', 'format', 'created_at', 'updated_at'])
        .where('user_id', '=', userId)
        .where('id', '=', datasetId)
        .execute();
      return (await withCounts(userId, rows))[0];
    },
    async count(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('datasets')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return count;
    },
    async insert(userId: number, dataset: { name: string; format: DatasetFormat; at: string }): Promise<number> {
      const { id } = await db
        .insertInto('datasets')
        .values({
          user_id: userId,
          name: dataset.name,
          format: dataset.format,
          created_at: dataset.at,
          updated_at: dataset.at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /**
     * Call first in a transaction that changes a dataset or its content: others wait until it ends. PostgreSQL locks
     * the user before it, as everywhere. Returns undefined if the user has no such dataset.
     */
    async take(userId: number, datasetId: number): Promise<{ format: DatasetFormat } | undefined> {
      await shareLockUser(db, userId);
      const dataset = db
        .selectFrom('datasets')
        .select('format')
        .where('user_id', '=', userId)
        .where('id', '=', datasetId);
      return (isPostgres(db) ? dataset.forNoKeyUpdate() : dataset).executeTakeFirst();
    },
    async touch(userId: number, datasetId: number, change: { name?: string; at: string }): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('datasets')
        .set({ updated_at: change.at, ...(change.name !== undefined && { name: change.name }) })
        .where('user_id', '=', userId)
        .where('id', '=', datasetId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(userId: number, datasetId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('datasets')
        .where('user_id', '=', userId)
        .where('id', '=', datasetId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type DatasetRepository = ReturnType<typeof datasetRepository>;
