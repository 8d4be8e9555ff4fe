import type { Kysely } from 'kysely';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { PricingService } from '#server/features/usage/pricing';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { AppError } from '#server/lib/errors';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { ToolUse } from '#server/provider/provider';
import { countsToRecord } from '#server/provider/token-counts';
import { callLogRepository, type NewCall } from './call-log-repository.ts';

/**
 * A call of this process that is older than this, but not live, could not be ended. A younger one may just be starting.
 */
const beginsWithinMs = 60_000;

type Dependencies = {
  db: Kysely<Database>;
  /** Ends what was stored together with abandoned calls. */
  onAbandoned: AlsoBegin;
  presence: Pick<Presence, 'instance' | 'isGone'>;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
};

type CallTarget = { assistantId: number | null; model: string; inputTokens: number };
/** Writes that share the transaction that starts or ends a call. */
type ExtraWrites = (trx: Kysely<Database>) => Promise<void>;
type AlsoBegin = (trx: Kysely<Database>, callId: number) => Promise<void>;
export type Cost = {
  counts: TokenCounts;
  estimated: boolean;
  /** Service tier that answered; null for the standard tier. */
  tier: string | null;
  /** Calls of built-in tools, which are billed in addition to tokens. */
  used: readonly ToolUse[];
  /** The model that answered, if the client named none. */
  model?: string | undefined;
};

/** A call that has not ended. `cost` is null if the provider has done nothing. */
export type OngoingCall = {
  end: (cost: Cost | null, also?: ExtraWrites) => Promise<void>;
  /**
   * Ends it and begins the next one in one transaction with `also`; if that fails, it goes on.
   * @throws not_signed_in if the token is no longer valid
   */
  replace: (cost: Cost | null, next: CallTarget, also: AlsoBegin) => Promise<OngoingCall>;
};

type ReportedUsage = { usage: TokenCounts | null; events: number; used?: readonly ToolUse[]; tier?: string | null };

/** Reported usage; otherwise an estimate from what was sent and received, marked as such. */
export function costOf(inputTokens: number, { usage, events, used = [], tier = null }: ReportedUsage): Cost {
  const none = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return { ...countsToRecord(usage, { ...none, inputTokens, outputTokens: events }), used, tier };
}

/** An image or a sound may be billed by other things than tokens: then its price is unknown, not zero. */
const isCounted = ({ inputTokens, outputTokens, statedUsd }: TokenCounts) =>
  inputTokens > 0 || outputTokens > 0 || statedUsd !== undefined;

/** Usage of the answer, and of each tool that ran for it. */
async function usageOf(
  pricing: Dependencies['pricing'],
  { userId, model, cost: { counts, estimated, used, tier } }: { userId: number; model: string; cost: Cost },
  trx: Kysely<Database>,
) {
  const createdAt = new Date().toISOString();
  const price = isCounted(counts)
    ? await pricing.price(userId, model, counts, { tier, within: trx })
    : { costUsd: null, priceAsOf: null, serviceTier: tier };
  const answer = { ...counts, ...price, purpose: 'chat' as const, model, estimated, createdAt };
  return [answer, ...used.map((use) => pricing.toolUsage(use, createdAt, model))];
}

/** Stores the call and `also` in one transaction. */
function insertCall(db: Kysely<Database>, call: NewCall, also: AlsoBegin | undefined) {
  if (!also) return callLogRepository(db).insert(call);
  return db.transaction().execute(async (trx) => {
    const id = await callLogRepository(trx).insert(call);
    if (id !== undefined) await also(trx, id);
    return id;
  });
}

/** Ends a call and begins another one in its place. Returns undefined if it cannot begin; then nothing changes. */
function replaceCall(
  { db, pricing }: Pick<Dependencies, 'db' | 'pricing'>,
  ended: { id: number; model: string; cost: Cost | null },
  call: NewCall,
  also: AlsoBegin,
) {
  return db.transaction().execute(async (trx) => {
    const usage = ended.cost ? await usageOf(pricing, { ...ended, userId: call.userId, cost: ended.cost }, trx) : [];
    const stored = callLogRepository(trx);
    const id = await stored.insert(call);
    if (id === undefined) return undefined;
    if (!(await stored.end(call.userId, ended.id, usage))) throw new Error('The call has already ended');
    await also(trx, id);
    return id;
  });
}

/**
 * Stores each call before the provider is asked, and its cost once it is answered; after a crash, the cost as far as
 * known.
 */
export function createCallLog({ db, presence, pricing, onAbandoned }: Dependencies) {
  const calls = callLogRepository(db);
  const live = new Set<number>();

  /** Takes effect once: a call that another process ended as abandoned keeps that record. */
  function end(userId: number, id: number, model: string, cost: Cost | null, also?: ExtraWrites) {
    return db.transaction().execute(async (trx) => {
      const usage = cost ? await usageOf(pricing, { userId, model, cost }, trx) : [];
      if (await callLogRepository(trx).end(userId, id, usage)) await also?.(trx);
    });
  }

  function ongoing(
    by: Pick<ApiPrincipal, 'userId' | 'tokenId'>,
    target: CallTarget,
    id: number | undefined,
  ): OngoingCall {
    if (id === undefined) throw new AppError('not_signed_in', 'This access token is no longer valid.');
    live.add(id);
    return {
      async end(cost, alsoEnd) {
        try {
          await end(by.userId, id, cost?.model ?? target.model, cost, alsoEnd);
        } finally {
          live.delete(id);
        }
      },
      async replace(cost, next, also) {
        const ended = { id, model: cost?.model ?? target.model, cost };
        const nextCall = { ...by, ...next, instance: presence.instance };
        const call = ongoing(by, next, await replaceCall({ db, pricing }, ended, nextCall, also));
        live.delete(id);
        return call;
      },
    };
  }

  return {
    /** @throws not_signed_in if the token is no longer valid */
    async begin({ userId, tokenId }: Pick<ApiPrincipal, 'userId' | 'tokenId'>, target: CallTarget, also?: AlsoBegin) {
      const by = { userId, tokenId };
      return ongoing(by, target, await insertCall(db, { ...by, ...target, instance: presence.instance }, also));
    },
    /** Ends calls left behind by a crash of this or another process. */
    async recover() {
      const ownBefore = new Date(Date.now() - beginsWithinMs).toISOString();
      for (const call of await calls.inProgress()) {
        if (live.has(call.id)) continue;
        const isAbandoned =
          call.instance === presence.instance ? call.createdAt < ownBefore : await presence.isGone(call.instance);
        if (isAbandoned)
          // The request was sent, but how much of the answer arrived is unknown.
          await end(call.userId, call.id, call.model, costOf(call.inputTokens, { usage: null, events: 0 }), (trx) =>
            onAbandoned(trx, call.id),
          );
      }
    },
  };
}

export type CallLog = ReturnType<typeof createCallLog>;
