import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import { type Catalogue, costOf, type TokenCounts } from '#server/provider/catalogue/catalogue';
import type { ListedPrice } from '#server/provider/resources/model-description';
import { ProviderError } from '#server/provider/transport/error';
import type { ConnectionKey } from './connection-key.ts';

const freshForMs = 5 * 60_000;
const listTimeoutMs = 10_000;

type Prices = ReadonlyMap<string, ListedPrice>;

const noTokens: TokenCounts = {
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/**
 * Prices of the models of offered connections, which nobody who uses one can change: those of the provider's list, then
 * the catalogue's.
 */
export function offeredPrices(catalogue: Pick<Catalogue, 'cost'>) {
  const lists = new Map<number, { prices: Prices; until: number }>();
  const asking = new Map<number, Promise<Prices | undefined>>();

  async function read(key: ConnectionKey): Promise<Prices | undefined> {
    try {
      const list = await key.provider.models(key, listTimeoutMs);
      const prices = new Map(list.flatMap(({ id, price }) => (price ? [[id, price] as const] : [])));
      lists.set(key.connection.id, { prices, until: performance.now() + freshForMs });
      return prices;
    } catch (error) {
      if (error instanceof ProviderError) return lists.get(key.connection.id)?.prices;
      throw error;
    }
  }

  /** One request for all callers that wait for it. undefined: the list could not be read. */
  function pricesOf(key: ConnectionKey): Promise<Prices | undefined> {
    const { id } = key.connection;
    const cached = lists.get(id);
    if (cached && cached.until > performance.now()) return Promise.resolve(cached.prices);
    const inProgress = asking.get(id);
    if (inProgress) return inProgress;
    const reading = read(key).finally(() => asking.delete(id));
    asking.set(id, reading);
    return reading;
  }

  return {
    /** Asks the provider for its list if the catalogue does not know the model. Lists have no prices of tiers. */
    async hasPrice(key: ConnectionKey, reference: string, tier: string | null): Promise<boolean> {
      if (tier !== null) return catalogue.cost(reference, noTokens, tier) !== null;
      if (catalogue.cost(reference, noTokens) !== null) return true;
      return (await pricesOf(key))?.has(modelIdOf(reference)) ?? false;
    },
    /** USD for one call; null: no price is known. A service tier without a price of its own costs the standard one. */
    cost(reference: string, counts: TokenCounts, tier: string | null): number | null {
      const listed = lists.get(connectionIdOf(reference) ?? 0)?.prices.get(modelIdOf(reference));
      const ofTier = tier === null ? null : catalogue.cost(reference, counts, tier);
      if (ofTier !== null) return ofTier;
      return listed ? costOf(listed, counts) : catalogue.cost(reference, counts);
    },
  };
}

export type OfferedPrices = ReturnType<typeof offeredPrices>;
