import { type Assistant, AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { VersionOrigin } from '@roster/contracts/assistants/versions';
import type { Kysely } from 'kysely';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { ApiFields } from '#server/features/assistants/shared/api-fields-repository';
import { type ModelChanges, recordModelChanges } from './record-model-changes.ts';
import { isPruneDue, versionRepository } from './repository.ts';
import { changedFields, loadState, nonEmptyFields, type ToolSelectionsIn } from './state.ts';

/** Stores the versions of assistants, each in the transaction of the change that causes it. */
export function versionRecorder(choicesIn: ToolSelectionsIn) {
  return {
    /**
     * Runs `work`, which changes one assistant, while this user’s assistants are locked. Stores the result as a version
     * if anything has changed.
     */
    async record<T>(
      trx: Kysely<Database>,
      { userId, assistantId, origin }: { userId: number; assistantId: number; origin: VersionOrigin },
      work: () => Promise<T>,
    ): Promise<T> {
      await lockUser(trx, userId);
      const before = await loadState(trx, choicesIn, userId, assistantId);
      const done = await work();
      const after = await loadState(trx, choicesIn, userId, assistantId);
      if (!before || !after) return done;
      const changed = changedFields(before.state, after.state);
      if (changed.length === 0) return done;
      const versions = versionRepository(trx);
      const number = after.assistant.version + 1;
      const at = new Date().toISOString();
      await versions.insert(userId, [{ assistantId, number, origin, changed, state: after.state, at }]);
      await versions.setCurrent(userId, assistantId, number);
      if (isPruneDue(number)) await versions.prune(userId, [assistantId]);
      return done;
    },

    /** Does the same for several assistants that each get another model. */
    recordModels: (trx: Kysely<Database>, origin: { userId: number; origin: VersionOrigin }, changes: ModelChanges) =>
      recordModelChanges({ trx, choicesIn, ...origin }, changes),

    /** Stores the first versions of assistants that have neither files nor connected tools yet. */
    async begin(
      trx: Kysely<Database>,
      userId: number,
      origin: VersionOrigin,
      made: { assistant: Assistant; api?: ApiFields | undefined }[],
    ) {
      await versionRepository(trx).insert(
        userId,
        made.map(({ assistant, api }) => ({
          assistantId: assistant.id,
          number: assistant.version,
          origin,
          changed: [],
          at: assistant.createdAt,
          state: {
            settings: AssistantSettings.parse(assistant),
            files: [],
            chosenTools: [],
            programFields: nonEmptyFields(api),
          },
        })),
      );
    },

    /** Stores the first version of an assistant that is complete already. */
    async beginWith(trx: Kysely<Database>, userId: number, origin: VersionOrigin, assistantId: number) {
      const made = await loadState(trx, choicesIn, userId, assistantId);
      if (!made) throw new Error('A new assistant is missing');
      const { assistant, state } = made;
      const { version: number, createdAt: at } = assistant;
      await versionRepository(trx).insert(userId, [{ assistantId, number, origin, changed: [], state, at }]);
    },
  };
}

export type VersionRecorder = ReturnType<typeof versionRecorder>;
