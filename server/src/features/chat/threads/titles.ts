import { cheapestTitleModel } from '@roster/contracts/models/models';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import type { Kysely } from 'kysely';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { Database } from '#server/db/schema';
import type { RunSpec } from '#server/features/chat/runs/lifecycle/run-spec';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import type { ModelService } from '#server/features/models/service';
import type { CheckBudget } from '#server/features/usage/budgets';
import type { PricingService } from '#server/features/usage/pricing';
import { usageRepository } from '#server/features/usage/repository';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { OpenKey } from '#server/provider/keys/open-key';
import type { AnswerEnd, AnswerRequest, Provider } from '#server/provider/provider';
import { countsToRecord } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';

const withinMs = 30_000;
/** Characters of each message that are sent for a title. */
const excerpt = 2_000;
const instructions =
  'Give this conversation a title of two to six words, in its own language. Answer with the title only: no quotation marks, no full stop.';

function cleaned(answer: string): string {
  const [line = ''] = answer.trim().split('\n');
  const bare = line.replace(/^(title:)?\s*["'“*#]*\s*/i, '').replace(/["'”*.\s]+$/, '');
  return truncate(tidyName(bare), 80).trim();
}

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'answer'>;
  catalogue: Catalogue;
  pricing: Pick<PricingService, 'price'>;
  models: Pick<ModelService, 'list'>;
  /** The user's choice; null: the cheapest model, '': no titles. */
  titleModel: (userId: number) => Promise<string | null>;
  openKey: OpenKey;
  checkBudget: CheckBudget;
};

const listWithinMs = 3_000;

/** The chosen model may belong to a connection that was removed, or a budget is used up: the title stays as it is. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

/**
 * Requests a title after the first exchange from the chosen model, else the cheapest, else the thread's own. Its usage
 * is recorded. Threads of API clients and temporary ones keep their first words as the title.
 */
export function titleSuggester(dependencies: Dependencies) {
  const { db, provider, catalogue, pricing, models, titleModel, openKey, checkBudget } = dependencies;
  /** Threads whose title is being requested: one of several parallel answers is enough. */
  const asking = new Set<number>();

  return async function suggest(spec: RunSpec, request: AnswerRequest, signal: AbortSignal): Promise<void> {
    const { threadId } = spec;
    if (asking.has(threadId)) return;
    asking.add(threadId);
    await suggestOnce(spec, request, signal).finally(() => asking.delete(threadId));
  };

  /** undefined: the user wants no titles. */
  async function modelFor(userId: number, own: string): Promise<string | undefined> {
    const chosen = await titleModel(userId);
    if (chosen !== null) return chosen === '' ? undefined : chosen;
    const { source, models: list } = await models.list(userId, listWithinMs);
    // Without a key of the installation’s provider its list is unknown.
    return (source === 'provider' && cheapestTitleModel(list)?.id) || own;
  }

  async function isWithinBudget({ userId, threadId, assistantId, input }: RunSpec): Promise<boolean> {
    if (input.kind === 'prompt' || input.overBudget) return true;
    return (await checkBudget(userId, { assistantId, threadId }).then(() => true, ignoreRefusal)) === true;
  }

  async function suggestOnce(spec: RunSpec, request: AnswerRequest, signal: AbortSignal): Promise<void> {
    const { userId, threadId } = spec;
    const thread = await threadRepository(db).find(userId, threadId);
    if (thread?.titleSource !== 'opening' || thread.madeBy !== null || thread.expiresAt !== null) return;
    const answer = await messageRepository(db).place(userId, spec.messageId);
    if (answer?.depth !== 1) return;
    const model = await modelFor(userId, request.model);
    if (model === undefined) return;
    if (!(await isWithinBudget(spec))) return;
    const exchange = await branchRepository(db).words(userId, {
      threadId,
      head: answer.id,
      from: 0,
      to: answer.depth,
    });
    const talk = exchange.map(({ role, text }) => `${role}: ${truncate(text, excerpt)}`).join('\n\n');
    const apiKey = await openKey(userId, model).catch(ignoreRefusal);
    if (!apiKey) return;
    const suggestion = await askFor(
      { provider, catalogue },
      { apiKey, model },
      talk,
      AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    );
    if (suggestion) await store({ db, pricing }, spec, model, talk, suggestion);
  }
}

/** Stores the title and its cost. */
async function store(
  { db, pricing }: Pick<Dependencies, 'db' | 'pricing'>,
  { userId, threadId, runId, assistantId }: RunSpec,
  model: string,
  talk: string,
  { words, end }: { words: string; end: AnswerEnd },
) {
  const title = cleaned(words);
  const { counts, estimated } = countsToRecord(end.usage, {
    inputTokens: estimateTokens(instructions + talk),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateTokens(words),
    reasoningTokens: 0,
  });
  await db.transaction().execute(async (trx) => {
    if (title !== '' && (await threadRepository(trx).suggestTitle(userId, threadId, title)))
      await searchRepository(trx).putTitle(userId, threadId, title);
    const price = await pricing.price(userId, model, counts, { tier: end.tier, within: trx });
    const createdAt = new Date().toISOString();
    const made = { runId, threadId, assistantId, purpose: 'title' } as const;
    await usageRepository(trx).record(userId, { ...counts, ...price, ...made, model, estimated, createdAt });
  });
}

/** undefined: the provider failed or was too slow. The title stays, and no error is shown. */
async function askFor(
  { provider, catalogue }: Pick<Dependencies, 'provider' | 'catalogue'>,
  { apiKey, model }: Pick<AnswerRequest, 'apiKey' | 'model'>,
  talk: string,
  signal: AbortSignal,
) {
  let words = '';
  const effort = catalogue.leastEffort(model);
  const question = { apiKey, model, instructions, turns: [{ role: 'user' as const, text: talk }], temperature: null };
  try {
    const end = await provider.answer(
      { ...question, effort },
      (pieces) => {
        for (const piece of pieces) if (piece.type === 'text') words += piece.text;
      },
      signal,
    );
    return { words, end };
  } catch (error) {
    if (error instanceof ProviderError || signal.aborted) return undefined;
    throw error;
  }
}
