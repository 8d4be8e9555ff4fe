import { type UsageComparison, usageComparisonStart } from '@roster/contracts/usage/usage';
import { type Sums, zeroSums } from './aggregate.ts';
import type { analyticsRepository } from './analytics-repository.ts';
import type { PricingService } from './pricing.ts';

/** A model, and the one whose price is compared with its own; null: none. */
type ComparedModel = { model: string; successor: string | null };

/** A user’s recent usage of models, and what the same tokens cost with another one. */
export function lastUsed(
  sums: Pick<ReturnType<typeof analyticsRepository>, 'byModelSince'>,
  pricing: Pick<PricingService, 'sumPrice'>,
) {
  async function shown(userId: number, used: Sums | undefined, other: string | null): Promise<UsageComparison> {
    const { requests, inputTokens, cachedTokens, outputTokens, reasoningTokens, ...cost } = used ?? zeroSums;
    const counts = { inputTokens, cachedTokens, cacheWriteTokens: 0, outputTokens, reasoningTokens };
    return {
      ...{ requests, inputTokens, cachedTokens, outputTokens },
      costUsd: cost.unpricedRequests > 0 ? null : cost.costUsd,
      costAfterUsd: other === null ? null : await pricing.sumPrice(userId, other, counts),
    };
  }

  return {
    async of(userId: number, { model, successor }: ComparedModel, now: number): Promise<UsageComparison> {
      const used = await sums.byModelSince(userId, [model], usageComparisonStart(now));
      return shown(userId, used.get(model), successor);
    },
    /** Adds its usage to each model. */
    async ofEach<Model extends ComparedModel>(userId: number, models: readonly Model[], now: number) {
      const ids = models.map(({ model }) => model);
      const used = await sums.byModelSince(userId, ids, usageComparisonStart(now));
      return Promise.all(
        models.map(async (one) => ({ ...one, usage: await shown(userId, used.get(one.model), one.successor) })),
      );
    },
  };
}

export type LastUsed = ReturnType<typeof lastUsed>;
