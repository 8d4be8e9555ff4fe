import { type Kysely, type Selectable, sql } from 'kysely';
import { lockUser } from '#server/db/locks';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import type { ProviderModel } from '#server/provider/provider';

/** Models with a date; no provider has this many. */
const maxRemembered = 2_000;

type ListedModel = Pick<ProviderModel, 'id' | 'shutdownDate'>;

/** A key’s model list as last read. */
export type StoredModelList = {
  askedAt: string;
  /** The models it contains or once contained, with the dates it gave. */
  models: ReadonlyMap<string, { shutdownDate: string | null; isListed: boolean }>;
};

const asModels = (rows: Selectable<Database['listed_models']>[]): StoredModelList['models'] =>
  new Map(rows.map((row) => [row.model, { shutdownDate: row.shutdown_date, isListed: row.is_listed === 1 }]));

/** Queried with each message that is sent. */
const findOf = prepared((db, at: Params<{ userId: number; baseUrl: string; model: string }>) =>
  db
    .selectFrom('model_lists')
    .leftJoin('listed_models', (join) =>
      join.onRef('listed_models.user_id', '=', 'model_lists.user_id').on('listed_models.model', '=', at('model')),
    )
    .select(['asked_at', 'listed_models.model', 'shutdown_date', 'is_listed'])
    .where('model_lists.user_id', '=', at('userId'))
    .where('base_url', '=', at('baseUrl')),
);

/** Model lists as last read. Pages and mails about retirement use them without asking the provider. */
export function modelListRepository(db: Kysely<Database>) {
  async function stored(trx: Kysely<Database>, userId: number): Promise<StoredModelList['models']> {
    const rows = await trx.selectFrom('listed_models').selectAll().where('user_id', '=', userId).execute();
    return asModels(rows);
  }

  async function put(trx: Kysely<Database>, userId: number, models: ListedModel[], isListed: 0 | 1) {
    if (models.length === 0) return;
    const rows = models.map(({ id, shutdownDate }) => ({
      user_id: userId,
      model: id,
      shutdown_date: shutdownDate,
      is_listed: isListed,
    }));
    await trx
      .insertInto('listed_models')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'model']).doUpdateSet({
          shutdown_date: sql`excluded.shutdown_date`,
          is_listed: sql`excluded.is_listed`,
        }),
      )
      .execute();
  }

  async function remove(trx: Kysely<Database>, userId: number, models: string[]) {
    if (models.length === 0) return;
    await trx.deleteFrom('listed_models').where('user_id', '=', userId).where('model', 'in', models).execute();
  }

  return {
    /** Writes only changes. A model that is no longer listed keeps the date that the list gave. */
    remember: (userId: number, baseUrl: string, list: readonly ListedModel[], askedAt: string) =>
      db.transaction().execute(async (trx) => {
        // The account may have been deleted while the provider was asked.
        if (!(await lockUser(trx, userId))) return;
        const head = await trx
          .selectFrom('model_lists')
          .select('base_url')
          .where('user_id', '=', userId)
          .executeTakeFirst();
        if (head && head.base_url !== baseUrl)
          await trx.deleteFrom('listed_models').where('user_id', '=', userId).execute();
        const before = await stored(trx, userId);
        const now = new Map(list.slice(0, maxRemembered).map((model) => [model.id, model]));
        const changed = [...now.values()].filter(({ id, shutdownDate }) => {
          const earlier = before.get(id);
          return !earlier?.isListed || earlier.shutdownDate !== shutdownDate;
        });
        const missing = [...before].filter(([id, { isListed }]) => isListed && !now.has(id));
        const dated = missing.filter(([, { shutdownDate }]) => shutdownDate !== null);
        const undated = missing.filter(([, { shutdownDate }]) => shutdownDate === null);
        await put(trx, userId, changed, 1);
        await put(
          trx,
          userId,
          dated.map(([id, { shutdownDate }]) => ({ id, shutdownDate })),
          0,
        );
        await remove(
          trx,
          userId,
          undated.map(([id]) => id),
        );
        const values = { base_url: baseUrl, asked_at: askedAt };
        await trx
          .insertInto('model_lists')
          .values({ user_id: userId, ...values })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
          .execute();
      }),

    /** Finds the list with this model only, in one statement. */
    async findOf(userId: number, baseUrl: string, model: string): Promise<StoredModelList | null> {
      const row = await findOf.first(db, { userId, baseUrl, model });
      if (!row) return null;
      const { asked_at: askedAt, shutdown_date: shutdownDate, is_listed: isListed } = row;
      const found = row.model === null ? [] : [[row.model, { shutdownDate, isListed: isListed === 1 }] as const];
      return { askedAt, models: new Map(found) };
    },

    /** The lists of some users, by user id. Users without a list are missing. */
    async findAll(userIds: number[], baseUrl: string): Promise<Map<number, StoredModelList>> {
      const heads = await db
        .selectFrom('model_lists')
        .select(['user_id', 'asked_at'])
        .where('user_id', 'in', userIds)
        .where('base_url', '=', baseUrl)
        .execute();
      const rows = await db.selectFrom('listed_models').selectAll().where('user_id', 'in', userIds).execute();
      const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
      return new Map(
        heads.map((head) => [
          head.user_id,
          { askedAt: head.asked_at, models: asModels(byUser.get(head.user_id) ?? []) },
        ]),
      );
    },

    /** null: never read, or from another provider. */
    async find(userId: number, baseUrl: string): Promise<StoredModelList | null> {
      const head = await db
        .selectFrom('model_lists')
        .select('asked_at')
        .where('user_id', '=', userId)
        .where('base_url', '=', baseUrl)
        .executeTakeFirst();
      return head ? { askedAt: head.asked_at, models: await stored(db, userId) } : null;
    },
  };
}

export type ModelListRepository = ReturnType<typeof modelListRepository>;
