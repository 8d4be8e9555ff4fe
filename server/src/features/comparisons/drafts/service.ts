import { type Assistant, type AssistantChanges, AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import {
  type draftComparisons as api,
  draftQuestionLimit,
  type EarlierQuestion,
} from '@roster/contracts/comparisons/drafts';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { comparisonNotFound } from '#server/features/comparisons/shared/answers';
import { findComparison } from '#server/features/comparisons/shared/ask-prompt';
import { assistantSide } from '#server/features/comparisons/shared/compared-settings';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import { storeComparison } from '#server/features/comparisons/shared/service';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { draftRepository } from './repository.ts';

/** Assistants that drafts belong to. */
export type DraftedAssistants = {
  find: (userId: number, id: number) => Promise<Assistant | undefined>;
  /** @throws if these changes could not be saved */
  checkChanges: (userId: number, stored: Assistant, changes: AssistantChanges) => Promise<void>;
  /** Saves changes that were made to this version. @throws conflict if there is a later one */
  updateVersion: (actor: Actor, id: number, version: number, changes: AssistantChanges) => Promise<Assistant>;
};

async function findAssistant(assistants: DraftedAssistants, userId: number, id: number): Promise<Assistant> {
  const assistant = await assistants.find(userId, id);
  if (!assistant) throw new AppError('not_found', 'Assistant not found.');
  return assistant;
}

async function create(
  db: Kysely<Database>,
  assistants: DraftedAssistants,
  { userId, recheckAccess }: Actor,
  assistantId: number,
  { changes, questions }: z.output<typeof api.create.body>,
): Promise<Comparison> {
  const current = await findAssistant(assistants, userId, assistantId);
  await assistants.checkChanges(userId, current, changes);
  const draft = AssistantSettings.parse({ ...current, ...changes });
  const id = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const made = await storeComparison(
      trx,
      userId,
      {
        kind: 'draft',
        title: `${current.name}: draft and version ${current.version}`,
        assistantId,
        candidate: assistantSide('Draft', draft, null),
        baseline: assistantSide(`Version ${current.version}`, AssistantSettings.parse(current), current.version),
      },
      questions.map((text) => ({ turns: [{ role: 'user', text }], expected: null })),
    );
    await draftRepository(trx).set(userId, made, changes);
    return made;
  });
  return findComparison(comparisonRepository(db), userId, id);
}

async function draftOf(db: Kysely<Database>, userId: number, comparisonId: number) {
  const { assistant, baseline } = await findComparison(comparisonRepository(db), userId, comparisonId);
  const changes = await draftRepository(db).find(userId, comparisonId);
  const version = baseline?.assistantVersion ?? null;
  if (!assistant || !changes || version === null) throw comparisonNotFound();
  return { assistantId: assistant.id, version, changes };
}

/** Drafts of assistants, tried on questions and compared with what is saved. */
export function draftService(db: Kysely<Database>, assistants: DraftedAssistants) {
  return {
    async questions(userId: number, assistantId: number): Promise<EarlierQuestion[]> {
      await findAssistant(assistants, userId, assistantId);
      return draftRepository(db).questions(userId, assistantId, draftQuestionLimit);
    },
    create: (actor: Actor, assistantId: number, body: z.output<typeof api.create.body>) =>
      create(db, assistants, actor, assistantId, body),
    find: (userId: number, comparisonId: number) => draftOf(db, userId, comparisonId),
    async save(actor: Actor, comparisonId: number): Promise<Assistant> {
      const { assistantId, version, changes } = await draftOf(db, actor.userId, comparisonId);
      return assistants.updateVersion(actor, assistantId, version, changes);
    },
  };
}
