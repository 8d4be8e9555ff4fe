import type { assistantDrafts as api, KeptDraft } from '@roster/contracts/assistants/drafts';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { assistantRepository } from '#server/features/assistants/shared/repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { assistantDraftRepository } from './repository.ts';

type Place = z.output<typeof api.get.query>['assistant'];

/** Keeps what is typed into the form of an assistant until it is saved or discarded. */
export function assistantDraftService(db: Kysely<Database>) {
  /** null: the form of a new assistant. */
  async function placeOf(rows: Kysely<Database>, userId: number, assistant: Place): Promise<number | null> {
    if (assistant === undefined) return null;
    if (await assistantRepository(rows).find(userId, assistant)) return assistant;
    throw new AppError('not_found', 'Assistant not found.');
  }

  return {
    async find(userId: number, assistant: Place): Promise<{ draft: KeptDraft | null }> {
      return { draft: await assistantDraftRepository(db).find(userId, await placeOf(db, userId, assistant)) };
    },
    keep: ({ userId, recheckAccess }: Actor, assistant: Place, draft: z.output<typeof api.keep.body>): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        const place = await placeOf(trx, userId, assistant);
        await assistantDraftRepository(trx).put(userId, place, { ...draft, savedAt: new Date().toISOString() });
      }),
    async remove(userId: number, assistant: Place) {
      await assistantDraftRepository(db).remove(userId, await placeOf(db, userId, assistant));
    },
  };
}

export type AssistantDraftService = ReturnType<typeof assistantDraftService>;
