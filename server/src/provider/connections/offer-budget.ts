import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { ConnectionKey } from './connection-key.ts';
import type { OfferedPrices } from './offered-prices.ts';
import { monthOf, spendRepository } from './spend-repository.ts';

/** USD in a month; null: no limit. */
export type OfferLimits = { perPerson: number | null; total: number | null };

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

/** Exactly at the limit is used up. */
export const isUsedUp = ({ perPerson, total }: OfferLimits, spent: { own: number; total: number }) =>
  (perPerson !== null && spent.own >= perPerson) || (total !== null && spent.total >= total);

const refusal = (message: string) => new AppError('offered_budget_exceeded', message);

const way = 'Choose a model of another connection, or ask your administrator.';

/** Limits what people spend with offered connections. Nobody can go over: no request says that it may. */
export function offerBudget({ db, prices }: { db: Kysely<Database>; prices: OfferedPrices }) {
  const spend = spendRepository(db);

  return {
    /**
     * Call it before each request. Requests that run at that moment are not counted yet.
     * @throws offered_budget_exceeded, or if no price is known and the budget could not count
     */
    async check(userId: number, key: ConnectionKey, limits: OfferLimits, reference: string) {
      if (limits.perPerson === null && limits.total === null) return;
      const { id, name } = key.connection;
      const now = new Date();
      const spent = await spend.inMonth(id, userId, monthOf(now.toISOString()));
      const { perPerson } = limits;
      if (perPerson !== null && spent.own >= perPerson)
        throw refusal(
          `Your budget of ${dollars.format(perPerson)} at ${name} for ${monthName.format(now)} is used up: ${dollars.format(spent.own)} so far. ${way}`,
        );
      if (isUsedUp(limits, spent))
        throw refusal(`The budget of ${name} for ${monthName.format(now)} is used up by all together. ${way}`);
      if (!(await prices.isKnown(key, reference)))
        throw refusal(
          `No price is known for ${modelIdOf(reference)}, so the budget of ${name} cannot count it. Choose another model.`,
        );
    },
  };
}

export type OfferBudget = ReturnType<typeof offerBudget>;
