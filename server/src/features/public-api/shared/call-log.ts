import type { Kysely } from 'kysely';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { PricingService } from '#server/features/usage/pricing';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { AppError } from '#server/lib/errors';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { ToolUse } from '#server/provider/provider';
import { countsFor } from '#server/provider/token-counts';
import { callLogRepository, type NewCall } from './call-log-repository.ts';

/** One of our own that is not being answered could not be ended when it should have been; a fresh one may just begin. */
const beginsWithinMs = 60_000;

type Dependencies = {
  db: Kysely<Database>;
  /** Ends what was stored with calls that nobody answers any more. */
  onAbandoned: AlsoBegin;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
};

type Asked = { assistantId: number | null; model: string; inputTokens: number };
/** What is stored together with a call, or with its end. */
export type ExtraWrites = (trx: Kysely<Database>) => Promise<void>;
type AlsoBegin = (trx: Kysely<Database>, callId: number) => Promise<void>;
export type Cost = {
  counts: TokenCounts;
  estimated: boolean;
  /** The service tier that answered; null: the standard one. */
  tier: string | null;
  /** The calls of tools that the provider has run, which are billed beside tokens. */
  used: readonly ToolUse[];
};

type Reported = { usage: TokenCounts | null; events: number; used?: readonly ToolUse[]; tier?: string | null };

/** As the provider says; else from what went out and what came, and marked as an estimate. */
export function costOf(inputTokens: number, { usage, events, used = [], tier = null }: Reported): Cost {
  const none = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return { ...countsFor(usage, { ...none, inputTokens, outputTokens: events }), used, tier };
}

/** Of the answer, and of each tool that was run for it. */
async function usageOf(
  pricing: Dependencies['pricing'],
  { userId, model, cost: { counts, estimated, used, tier } }: { userId: number; model: string; cost: Cost },
  trx: Kysely<Database>,
) {
  const createdAt = new Date().toISOString();
  const price = await pricing.price(userId, model, counts, { tier, within: trx });
  const answer = { ...counts, ...price, purpose: 'chat' as const, model, estimated, createdAt };
  return [answer, ...used.map((use) => pricing.toolUsage(use, createdAt))];
}

/** Stores each call before the provider is asked, and what it has cost once it is answered; after a crash as far as known. */
export function createCallLog({ db, presence, pricing, onAbandoned }: Dependencies) {
  const calls = callLogRepository(db);
  const live = new Set<number>();

  /** Once: what another process has ended, as abandoned, stays as that has left it. */
  function end(userId: number, id: number, model: string, cost: Cost | null, also?: ExtraWrites) {
    return db.transaction().execute(async (trx) => {
      const usage = cost ? await usageOf(pricing, { userId, model, cost }, trx) : [];
      if (await callLogRepository(trx).end(userId, id, usage)) await also?.(trx);
    });
  }

  /** `also` is stored with the call, or neither is. */
  function insert(call: NewCall, also: AlsoBegin | undefined) {
    if (!also) return calls.insert(call);
    return db.transaction().execute(async (trx) => {
      const id = await callLogRepository(trx).insert(call);
      if (id !== undefined) await also(trx, id);
      return id;
    });
  }

  return {
    /** @throws not_signed_in where the token has ended since */
    async begin({ userId, tokenId }: Pick<ApiPrincipal, 'userId' | 'tokenId'>, asked: Asked, also?: AlsoBegin) {
      const id = await insert({ userId, tokenId, ...asked, instance: presence.instance }, also);
      if (id === undefined) throw new AppError('not_signed_in', 'This access token is not valid any more.');
      live.add(id);
      return {
        /** `cost` null: the provider has done nothing. */
        async end(cost: Cost | null, alsoEnd?: ExtraWrites) {
          try {
            await end(userId, id, asked.model, cost, alsoEnd);
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
        if (isAbandoned)
          // The request went out, and nobody knows how much of the answer came.
          await end(call.userId, call.id, call.model, costOf(call.inputTokens, { usage: null, events: 0 }), (trx) =>
            onAbandoned(trx, call.id),
          );
      }
    },
  };
}

export type CallLog = ReturnType<typeof createCallLog>;
