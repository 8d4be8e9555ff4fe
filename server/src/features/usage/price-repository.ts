import type { CustomPrice } from '@roster/contracts/usage/usage';
import type { Kysely, Selectable } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

const toPrice = (row: Selectable<Database['own_prices']>): CustomPrice => ({
  model: row.model,
  input: row.input,
  cachedInput: row.cached_input,
  output: row.output,
  setAt: row.set_at,
});

/** Prepared, because it is asked for every call of a model without a price of its own in the catalogue. */
const findPrice = prepared((db, at: Params<{ userId: number; model: string }>) =>
  db.selectFrom('own_prices').selectAll().where('user_id', '=', at('userId')).where('model', '=', at('model')),
);

export function priceRepository(db: Kysely<Database>) {
  return {
    async find(userId: number, model: string): Promise<CustomPrice | undefined> {
      const row = await findPrice.first(db, { userId, model });
      return row && toPrice(row);
    },
    async list(userId: number): Promise<CustomPrice[]> {
      const rows = await db
        .selectFrom('own_prices')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('model')
        .execute();
      return rows.map(toPrice);
    },
    async count(userId: number): Promise<number> {
      const row = await db
        .selectFrom('own_prices')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return row.count;
    },
    async save(userId: number, { model, input, cachedInput, output, setAt }: CustomPrice) {
      const values = { input, cached_input: cachedInput, output, set_at: setAt };
      await db
        .insertInto('own_prices')
        .values({ user_id: userId, model, ...values })
        .onConflict((conflict) => conflict.columns(['user_id', 'model']).doUpdateSet(values))
        .execute();
    },
    async delete(userId: number, model: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('own_prices')
        .where('user_id', '=', userId)
        .where('model', '=', model)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type PriceRepository = ReturnType<typeof priceRepository>;
