import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import type { CustomPrice } from '@roster/contracts/usage/usage';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type Catalogue, costOf, type TokenCounts } from '#server/provider/catalogue/catalogue';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { OfferedPrices } from '#server/provider/connections/offered-prices';
import { spendRepository } from '#server/provider/connections/spend-repository';
import type { ToolUse } from '#server/provider/provider';
import type { ListedPrice } from '#server/provider/resources/model-description';
import { priceRepository } from './price-repository.ts';
import { usageRepository } from './repository.ts';

/** Small enough for a short transaction, so that other writers hardly wait. */
const batch = 500;
const maxPrices = 200;

const noTokens: TokenCounts = {
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** USD for the tokens of several calls, none priced as long context; null if no price is known. */
const costIfPriced = (price: Parameters<typeof costOf>[0] | undefined, counts: TokenCounts) =>
  price ? costOf(price, counts) : null;

/** The record of a built-in tool call, billed once per call besides tokens. Users cannot set its price. */
function toolUsage(catalogue: Catalogue, { tool, callId }: ToolUse, createdAt: string, usedBy: string | null) {
  const price = catalogue.toolPrice(tool);
  const cost = price
    ? { costUsd: price.usdPerThousandCalls / 1_000, priceAsOf: price.asOf }
    : { costUsd: null, priceAsOf: null };
  return { ...noTokens, ...cost, purpose: 'tool' as const, model: tool, usedBy, callId, estimated: false, createdAt };
}

/** Prices one batch of unpriced calls. Returns how many there were. */
const priceBatch = (db: Kysely<Database>, userId: number, price: CustomPrice): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const records = usageRepository(trx);
    const calls = await records.unpriced(userId, price.model, batch);
    for (const call of calls)
      await records.price(userId, call, price.model, {
        costUsd: costOf(price, call),
        asOf: price.setAt.slice(0, 10),
      });
    return calls.length;
  });

type Dependencies = {
  db: Kysely<Database>;
  catalogue: Catalogue;
  /** The price in the provider's own list; undefined: it names none, or was not read yet. */
  listedPrice: (userId: number, model: string) => ListedPrice | undefined;
  /** The prices of connections that administrators offer. */
  offeredPrices: Pick<OfferedPrices, 'cost'>;
};

/** The cost of a call: as the provider says, by its list, by the catalogue, or by the user’s own price. */
export function pricingService({ db, catalogue, listedPrice, offeredPrices }: Dependencies) {
  const prices = priceRepository(db);

  /** People cannot set prices of what an administrator pays for. */
  async function isOffered(model: string, within: Kysely<Database> = db): Promise<boolean> {
    const connectionId = connectionIdOf(model);
    return connectionId !== null && (await connectionRepository(within).isOffered(connectionId));
  }

  /** The user may ask it, or has asked it: nobody learns of offers to others. */
  async function isOfferKnownTo(userId: number, model: string): Promise<boolean> {
    const connectionId = connectionIdOf(model);
    if (connectionId === null || !(await isOffered(model))) return false;
    if (await connectionRepository(db).findUsable(userId, connectionId)) return true;
    return (await spendRepository(db).usedName(connectionId, userId)) !== undefined;
  }

  return {
    /**
     * `costUsd` is null if no price is known; `priceAsOf` is the day of the price; `within` is the caller’s
     * transaction. The cost that the provider states comes first, then the price in its list, then the catalogue’s for
     * the model itself, then the user’s, then the catalogue’s for its family. The user’s price is for the standard tier.
     */
    async price(
      userId: number,
      model: string,
      counts: TokenCounts,
      { tier = null, within = db }: { tier?: string | null | undefined; within?: Kysely<Database> | undefined } = {},
    ) {
      const today = new Date().toISOString().slice(0, 10);
      if (counts.statedUsd !== undefined) return { costUsd: counts.statedUsd, priceAsOf: today, serviceTier: tier };
      if (await isOffered(model, within)) {
        const costUsd = offeredPrices.cost(model, counts, tier);
        return { costUsd, priceAsOf: costUsd === null ? null : today, serviceTier: tier };
      }
      const current = tier === null ? listedPrice(userId, model) : undefined;
      if (current) return { costUsd: costOf(current, counts), priceAsOf: today, serviceTier: tier };
      const listed = catalogue.cost(model, counts, tier);
      const own =
        tier === null && (listed === null || catalogue.familyOf(model) !== null)
          ? await priceRepository(within).find(userId, model)
          : undefined;
      if (own) return { costUsd: costOf(own, counts), priceAsOf: own.setAt.slice(0, 10), serviceTier: tier };
      return { costUsd: listed, priceAsOf: listed === null ? null : catalogue.priceDay(tier), serviceTier: tier };
    },

    async sumPrice(userId: number, model: string, counts: TokenCounts): Promise<number | null> {
      if (await isOffered(model)) return offeredPrices.cost(model, counts, null);
      const current = listedPrice(userId, model);
      if (current) return costOf(current, counts);
      const { price } = catalogue.describe(model, null, '');
      if (price && price.family === null) return costOf(price, counts);
      return costIfPriced((await prices.find(userId, model)) ?? price ?? undefined, counts);
    },

    toolUsage: (use: ToolUse, createdAt: string, usedBy: string | null) => toolUsage(catalogue, use, createdAt, usedBy),

    list: (userId: number) => prices.list(userId),

    /**
     * Sets a custom price and applies it to the unpriced calls so far.
     * @throws conflict if the catalogue has a price for the model itself
     */
    async set(userId: number, input: Omit<CustomPrice, 'setAt'>) {
      if (catalogue.describe(input.model, null, '').price?.family === null)
        throw new AppError(
          'conflict',
          `The catalogue already has a price for ${modelIdOf(input.model)}, and that one is used.`,
        );
      if (await isOfferKnownTo(userId, input.model))
        throw new AppError(
          'conflict',
          'An administrator offers this model. Its price is the provider’s or the catalog’s.',
        );
      if ((await prices.count(userId)) >= maxPrices && !(await prices.find(userId, input.model)))
        throw new AppError('conflict', `You can set at most ${maxPrices} custom prices. Remove one first.`);
      const price = { ...input, setAt: new Date().toISOString() };
      await prices.save(userId, price);
      let pricedRequests = 0;
      for (let priced = batch; priced === batch; pricedRequests += priced) priced = await priceBatch(db, userId, price);
      return { ...price, pricedRequests };
    },

    async remove(userId: number, model: string) {
      if (!(await prices.delete(userId, model)))
        throw new AppError('not_found', 'There is no custom price for this model.');
    },
  };
}

export type PricingService = ReturnType<typeof pricingService>;
