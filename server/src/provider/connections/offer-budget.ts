import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { JsonObject } from '#server/lib/is-object';
import type { ConnectionKey } from './connection-key.ts';
import type { OfferedPrices } from './offered-prices.ts';
import { monthOf, spendRepository } from './spend-repository.ts';

/** USD in a month; null: no limit. */
type OfferLimits = { perPerson: number | null; total: number | null };

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

/** Exactly at the limit is used up. */
export const isUsedUp = ({ perPerson, total }: OfferLimits, spent: { own: number; total: number }) =>
  (perPerson !== null && spent.own >= perPerson) || (total !== null && spent.total >= total);

const refusal = (message: string) => new AppError('offered_budget_exceeded', message);

const way = 'Choose a model of another connection, or ask your administrator.';

/** The request that is about to be sent. `tier`: the service tier that a client asks for; null: none, or the standard one. */
export type Spending = { model: string; tier: string | null };

/** Names for the standard tier, and for the choice of the provider, whose answer names the tier it chose. */
const usualTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);

/** The tier of a client's request that costs something else than the standard one. */
export const tierOf = ({ service_tier: tier }: JsonObject): string | null =>
  typeof tier === 'string' && !usualTiers.has(tier) ? tier : null;

const unknownPrice = ({ model, tier }: Spending, name: string) =>
  refusal(
    tier === null
      ? `No price is known for ${modelIdOf(model)}, so the budget of ${name} cannot count it. Choose another model.`
      : `No price is known for ${modelIdOf(model)} at the service tier ‘${tier.slice(0, 40)}’, so the budget of ${name} cannot count it. Leave service_tier out.`,
  );

/** Limits what people spend with offered connections. Nobody can go over: no request says that it may. */
export function offerBudget({ db, prices }: { db: Kysely<Database>; prices: OfferedPrices }) {
  const spend = spendRepository(db);

  return {
    /**
     * Call it before each request. Requests that run at that moment are not counted yet.
     * @throws offered_budget_exceeded, or if no price is known and the budget could not count
     */
    async check(userId: number, key: ConnectionKey, limits: OfferLimits, spending: Spending) {
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
        throw refusal(`The shared budget of ${name} for ${monthName.format(now)} is used up. ${way}`);
      if (!(await prices.hasPrice(key, spending.model, spending.tier))) throw unknownPrice(spending, name);
    },
  };
}

export type OfferBudget = ReturnType<typeof offerBudget>;
