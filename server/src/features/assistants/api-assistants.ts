import type { Assistant, AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { checkModel, deleteAssistant, insertAssistant, type ModelCheck, withAssistantsLocked } from './service.ts';
import { type ApiFields, apiFieldsRepository } from './shared/api-fields-repository.ts';
import { type AssistantPage, assistantRepository } from './shared/repository.ts';
import type { VersionRecorder } from './versions/recorder.ts';
import { versionRepository } from './versions/repository.ts';

type Dependencies = { db: Kysely<Database>; models: ModelCheck; versions: VersionRecorder };
/** An API client that changes something: its user, and the check, made in the transaction, that it still has access. */
type Writer = Pick<ApiPrincipal, 'userId' | 'tokenId' | 'recheckAccess'>;
type StoredAssistant = { assistant: Assistant; fields: ApiFields | undefined };

/**
 * The same assistants for API clients, which may set more than the form has and exceed its limits. Fields that the form
 * does not know are stored separately, in the same transaction.
 */
export function apiAssistants({ db, models, versions }: Dependencies) {
  const originOf = async (trx: Kysely<Database>, { userId, tokenId }: Writer) => ({
    kind: 'program' as const,
    name: await versionRepository(trx).tokenName(userId, tokenId),
  });

  return {
    /** Paged by id. */
    async page(userId: number, page: AssistantPage): Promise<StoredAssistant[]> {
      const found = await assistantRepository(db).numbered(userId, page);
      const ids = found.map(({ id }) => id);
      const fields = await apiFieldsRepository(db).of(userId, ids);
      return found.map((assistant) => ({ assistant, fields: fields.get(assistant.id) }));
    },
    async find(userId: number, id: number): Promise<StoredAssistant | undefined> {
      const assistant = await assistantRepository(db).find(userId, id);
      return assistant && { assistant, fields: (await apiFieldsRepository(db).of(userId, [id])).get(id) };
    },
    async create(writer: Writer, settings: AssistantSettings, fields: ApiFields): Promise<StoredAssistant> {
      const { userId, recheckAccess } = writer;
      await checkModel(models, userId, settings.model);
      return withAssistantsLocked(db, userId, async (assistants, trx) => {
        await recheckAccess(trx);
        const assistant = await insertAssistant(assistants, userId, settings);
        await apiFieldsRepository(trx).put(userId, assistant.id, fields);
        await versions.begin(trx, userId, await originOf(trx, writer), [{ assistant, api: fields }]);
        return { assistant, fields };
      });
    },
    /** undefined: the user has no such assistant. */
    async change(
      writer: Writer,
      id: number,
      settingsAfter: (stored: Assistant) => Partial<AssistantSettings>,
      after: (before: ApiFields) => ApiFields,
    ): Promise<StoredAssistant | undefined> {
      const { userId, recheckAccess } = writer;
      const before = await assistantRepository(db).find(userId, id);
      if (!before) return undefined;
      const { model } = settingsAfter(before);
      if (model !== undefined && model !== before.model) await checkModel(models, userId, model);
      return withAssistantsLocked(db, userId, async (assistants, trx) => {
        await recheckAccess(trx);
        const stored = await assistants.find(userId, id);
        if (!stored) return undefined;
        const kept = apiFieldsRepository(trx);
        const fields = after((await kept.of(userId, [id])).get(id) ?? {});
        await versions.record(trx, { userId, assistantId: id, origin: await originOf(trx, writer) }, async () => {
          await kept.put(userId, id, fields);
          await assistants.update(userId, id, { ...stored, ...settingsAfter(stored) });
        });
        const assistant = await assistants.find(userId, id);
        return assistant && { assistant, fields };
      });
    },
    /** false: the user has no such assistant. */
    remove: ({ userId, recheckAccess }: Writer, id: number): Promise<boolean> =>
      withAssistantsLocked(db, userId, async (assistants, trx) => {
        await recheckAccess(trx);
        return deleteAssistant(assistants, trx, userId, id);
      }),
  };
}

export type ApiAssistants = ReturnType<typeof apiAssistants>;
