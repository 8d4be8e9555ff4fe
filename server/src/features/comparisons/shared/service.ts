import type { comparisons as api, Comparison, ComparisonPrompt, Vote } from '@roster/contracts/comparisons/comparisons';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { PricingService } from '#server/features/usage/pricing';
import { toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { comparisonNotFound, isActive, threadsOf, toShown } from './answers.ts';
import { askPrompt, findComparison, findPrompt, type PromptIds, shownPrompt } from './ask-prompt.ts';
import { estimateOf } from './estimate.ts';
import { judgingRepository } from './judging-repository.ts';
import { comparisonOfModels, type ExampleFiles } from './models.ts';
import { comparisonRepository, type NewComparison, type NewPrompt } from './repository.ts';

type Dependencies = ExampleFiles & {
  database: Pick<OpenDatabase, 'db'>;
  internalThreads: Pick<InternalThreadService, 'ask' | 'answers' | 'stop' | 'remove'>;
  pricing: Pick<PricingService, 'price'>;
};

/** In the caller's transaction: prepares a comparison, of which nothing is asked yet. */
export const storeComparison = (
  trx: Kysely<Database>,
  userId: number,
  comparison: NewComparison,
  prompts: readonly NewPrompt[],
): Promise<number> => comparisonRepository(trx).insert(userId, comparison, prompts, new Date().toISOString());

async function createOfModels(
  dependencies: Dependencies,
  { userId, recheckAccess }: Actor,
  draft: z.output<typeof api.create.body>,
): Promise<Comparison> {
  const { db } = dependencies.database;
  const { comparison, prompts } = await comparisonOfModels(dependencies, userId, draft);
  const id = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    return storeComparison(trx, userId, comparison, prompts);
  });
  return findComparison(comparisonRepository(db), userId, id);
}

async function vote(
  dependencies: Dependencies,
  userId: number,
  ids: PromptIds,
  better: Vote | null,
): Promise<ComparisonPrompt> {
  const rows = comparisonRepository(dependencies.database.db);
  const prompt = await findPrompt(rows, userId, ids);
  const { candidate, baseline } = await shownPrompt(dependencies, userId, prompt);
  if (better !== null && (!candidate || !baseline || isActive(candidate) || isActive(baseline)))
    throw new AppError('conflict', 'You can pick the better answer once both are complete.');
  if (!(await rows.setVote(userId, prompt, better)))
    throw new AppError('conflict', 'This prompt has been run again. Read the new answers first.');
  return shownPrompt(dependencies, userId, await findPrompt(rows, userId, ids));
}

/** Removes it with its answers; open runs are stopped first. Returns false if it was deleted already. */
export async function removeComparison(
  { database: { db }, internalThreads }: Pick<Dependencies, 'database' | 'internalThreads'>,
  userId: number,
  id: number,
): Promise<boolean> {
  const threadIds = async (within: Kysely<Database>) => [
    ...(await comparisonRepository(within).threadIds(userId, id)),
    ...(await judgingRepository(within).threadIds(userId, { comparisonId: id })),
  ];
  await internalThreads.stop(userId, await threadIds(db));
  return db.transaction().execute(async (trx) => {
    await internalThreads.remove(trx, userId, () => threadIds(trx));
    return comparisonRepository(trx).delete(userId, id);
  });
}

export function comparisonService(dependencies: Dependencies) {
  const { database, internalThreads, pricing } = dependencies;
  const rows = comparisonRepository(database.db);

  async function whole(userId: number, id: number) {
    const comparison = await findComparison(rows, userId, id);
    const prompts = await rows.prompts(userId, id);
    return { comparison, prompts, answers: await internalThreads.answers(userId, threadsOf(prompts)) };
  }

  return {
    async list(userId: number, { limit, cursor, kind }: z.output<typeof api.list.query>) {
      const found = await rows.page(userId, limit + 1, { before: cursor, kind });
      return toPage(found, limit, ({ id }) => String(id));
    },
    async find(userId: number, id: number): Promise<Comparison & { items: ComparisonPrompt[] }> {
      const { comparison, prompts, answers } = await whole(userId, id);
      return { ...comparison, items: prompts.map((prompt) => toShown(prompt, answers)) };
    },
    async estimate(userId: number, id: number) {
      const { comparison, prompts, answers } = await whole(userId, id);
      return estimateOf(pricing, userId, comparison, prompts, answers);
    },
    createOfModels: (actor: Actor, draft: z.output<typeof api.create.body>) =>
      createOfModels(dependencies, actor, draft),
    ask: (userId: number, ids: PromptIds, options: z.output<typeof api.ask.body>) =>
      askPrompt(dependencies, userId, ids, options),
    vote: (userId: number, ids: PromptIds, better: Vote | null) => vote(dependencies, userId, ids, better),
    async remove(userId: number, id: number) {
      if (!(await removeComparison(dependencies, userId, id))) throw comparisonNotFound();
    },
  };
}
