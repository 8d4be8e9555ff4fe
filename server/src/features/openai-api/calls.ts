import type { Kysely } from 'kysely';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import type { PricingService } from '#server/features/usage/pricing';
import type { Caller } from '#server/http/caller';
import type { TokenCounts } from '#server/provider/catalogue';
import { callsRepository, type StoredCall } from './calls-repository.ts';

/** One of our own that is not being answered could not be ended when it should have been; a fresh one may just begin. */
const beginsWithinMs = 60_000;

type Dependencies = {
  db: Kysely<Database>;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  pricing: Pick<PricingService, 'price'>;
};

type Asked = { assistantId: number | null; model: string; inputTokens: number };
export type Cost = { counts: TokenCounts; estimated: boolean };

/** Stores each call before the provider is asked, and what it has cost once it is answered; after a crash as far as known. */
export function apiCalls({ db, presence, pricing }: Dependencies) {
  const calls = callsRepository(db);
  const live = new Set<number>();

  async function end(userId: number, id: number, model: string, cost: Cost | null) {
    const createdAt = new Date().toISOString();
    await db.transaction().execute(async (trx) => {
      if (!cost) return callsRepository(trx).end(userId, id, null);
      const { counts, estimated } = cost;
      const price = await pricing.price(userId, model, counts, trx);
      return callsRepository(trx).end(userId, id, { ...counts, ...price, model, estimated, createdAt });
    });
  }

  /** The request went out, and nobody knows how much of the answer came. */
  const ofAbandoned = ({ inputTokens }: StoredCall): Cost => ({
    counts: { inputTokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    estimated: true,
  });

  return {
    /** @throws not_signed_in where the token has ended since */
    async begin({ userId, tokenId }: Caller, asked: Asked) {
      const id = await calls.insert({ userId, tokenId, ...asked, instance: presence.instance });
      if (id === undefined) throw new AppError('not_signed_in', 'This access token is not valid any more.');
      live.add(id);
      return {
        /** `cost` null: the provider has done nothing. */
        async end(cost: Cost | null) {
          try {
            await end(userId, id, asked.model, cost);
          } finally {
            live.delete(id);
          }
        },
      };
    },
    /** Ends what a crash has left, here or elsewhere. */
    async recover() {
      const ownBefore = new Date(Date.now() - beginsWithinMs).toISOString();
      for (const call of await calls.underWay()) {
        if (live.has(call.id)) continue;
        const isAbandoned =
          call.instance === presence.instance ? call.createdAt < ownBefore : await presence.isGone(call.instance);
        if (isAbandoned) await end(call.userId, call.id, call.model, ofAbandoned(call));
      }
    },
  };
}

export type ApiCalls = ReturnType<typeof apiCalls>;
