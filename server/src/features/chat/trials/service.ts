import type { Thread } from '@roster/contracts/chat';
import type { trials as api, TrialSettings } from '@roster/contracts/trials';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { noThread } from '#server/features/chat/shared/not-found';
import { toThread } from '#server/features/chat/shared/thread';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { temporaryUntil } from '#server/features/chat/temporary-threads/service';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { trialRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
  /** @throws AppError, naming the field, for models that are known to be unusable. Does not call the provider. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
};

/** Conversations that try an assistant’s settings before they are saved. */
export function trialService({ db, ownsAssistant, checkModels }: Dependencies) {
  return {
    async begin(
      { userId, recheckAccess }: Actor,
      { assistantId, settings }: z.output<typeof api.begin.body>,
    ): Promise<Thread> {
      if (assistantId !== null && !(await ownsAssistant(userId, assistantId)))
        throw new AppError('not_found', 'This assistant does not exist.', {
          fields: { assistantId: 'This assistant does not exist.' },
        });
      await checkModels(userId, [settings.model], 'settings.model');
      const at = new Date().toISOString();
      return db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        const thread = await threadRepository(trx).insert(userId, {
          title: 'Trial',
          titleSource: 'chosen',
          assistantId,
          model: null,
          at,
          expiresAt: temporaryUntil(at),
          trialSettings: JSON.stringify(settings),
        });
        return toThread(thread);
      });
    },
    async change({ userId, recheckAccess }: Actor, threadId: number, settings: TrialSettings) {
      await checkModels(userId, [settings.model], 'settings.model');
      await db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        if (!(await trialRepository(trx).change(userId, threadId, settings))) throw noThread();
      });
    },
  };
}

export type TrialService = ReturnType<typeof trialService>;
