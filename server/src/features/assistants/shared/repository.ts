import type { Assistant, AssistantSettings } from '@roster/contracts/assistants/assistants';
import { type Kysely, type Selectable, sql } from 'kysely';
import { lockUser } from '#server/db/locks';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { fromSettingsColumns, toSettingsColumns } from './columns.ts';

export type ImportedDraft = AssistantSettings & { openaiAssistantId: string | null };
/** `createdAt`: for imports, the time of creation elsewhere. */
type NewAssistant = ImportedDraft & { isDefault: boolean; createdAt?: string | undefined };

export type AssistantLabel = Pick<Assistant, 'id' | 'name' | 'openaiAssistantId' | 'createdAt'>;

/** A new model and, if the effort changes with it, the new effort. */
export type ModelChange = Pick<AssistantSettings, 'model'> & Partial<Pick<AssistantSettings, 'reasoningEffort'>>;

export type AssistantPage = {
  order: 'asc' | 'desc';
  after: number | null;
  before: number | null;
  count: number;
};

type Row = Selectable<Database['assistants']> & { files: number };

const toAssistant = (row: Row): Assistant => ({
  id: row.id,
  ...fromSettingsColumns(row),
  isDefault: row.is_default === 1,
  openaiAssistantId: row.provider_assistant_id,
  files: Number(row.files),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const fileCount =
  sql<number>`(select count(*) from assistant_files where assistant_files.assistant_id = assistants.id)`.as('files');

const findAssistant = prepared((db, at: Params<{ userId: number; id: number }>) =>
  db
    .selectFrom('assistants')
    .selectAll()
    .select(fileCount)
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('id')),
);

export function assistantRepository(db: Kysely<Database>) {
  return {
    /** Makes other changes to this user’s assistants wait, so that the default and earlier imports stay as read. */
    lock: (userId: number) => lockUser(db, userId),
    /** Newest first, with ids below `cursor`. */
    async page(userId: number, limit: number, cursor: number | undefined): Promise<Assistant[]> {
      const newestFirst = db
        .selectFrom('assistants')
        .selectAll()
        .select(fileCount)
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(limit);
      const rows = await (cursor === undefined ? newestFirst : newestFirst.where('id', '<', cursor)).execute();
      return rows.map(toAssistant);
    },
    /** A range of ids, which grow with the time of creation. */
    async numbered(userId: number, { order, after, before, count }: AssistantPage): Promise<Assistant[]> {
      const [low, high] = order === 'asc' ? [after, before] : [before, after];
      let query = db
        .selectFrom('assistants')
        .selectAll()
        .select(fileCount)
        .where('user_id', '=', userId)
        .orderBy('id', order)
        .limit(count);
      if (low !== null) query = query.where('id', '>', low);
      if (high !== null) query = query.where('id', '<', high);
      return (await query.execute()).map(toAssistant);
    },
    async all(userId: number): Promise<Assistant[]> {
      const rows = await db
        .selectFrom('assistants')
        .selectAll()
        .select(fileCount)
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toAssistant);
    },
    /** Ids and names only, without instructions; newest first. */
    labels: (userId: number): Promise<AssistantLabel[]> =>
      db
        .selectFrom('assistants')
        .select(['id', 'name', 'provider_assistant_id as openaiAssistantId', 'created_at as createdAt'])
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .execute(),
    async find(userId: number, id: number): Promise<Assistant | undefined> {
      const row = await findAssistant.first(db, { userId, id });
      return row && toAssistant(row);
    },
    async some(userId: number, ids: number[]): Promise<Assistant[]> {
      const rows = await db
        .selectFrom('assistants')
        .selectAll()
        .select(fileCount)
        .where('user_id', '=', userId)
        .where('id', 'in', ids)
        .execute();
      return rows.map(toAssistant);
    },
    async newestId(userId: number): Promise<number | undefined> {
      const row = await db
        .selectFrom('assistants')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
    /** Assistants that came from these in earlier imports, by the provider’s id. */
    async importedFrom(userId: number, providerIds: string[]): Promise<Map<string, { id: number; name: string }>> {
      if (providerIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('assistants')
        .select(['id', 'name', 'provider_assistant_id'])
        .where('user_id', '=', userId)
        .where('provider_assistant_id', 'in', providerIds)
        .execute();
      return new Map(rows.map(({ id, name, provider_assistant_id }) => [provider_assistant_id ?? '', { id, name }]));
    },
    async named(userId: number, names: string[]): Promise<Assistant[]> {
      if (names.length === 0) return [];
      const rows = await db
        .selectFrom('assistants')
        .selectAll()
        .select(fileCount)
        .where('user_id', '=', userId)
        .where('name', 'in', names)
        .execute();
      return rows.map(toAssistant);
    },
    /** Stores them so that the first one is the newest. Returns them in the given order. */
    async insert(userId: number, assistants: NewAssistant[]): Promise<Assistant[]> {
      if (assistants.length === 0) return [];
      const now = new Date().toISOString();
      const rows = await db
        .insertInto('assistants')
        .values(
          assistants.toReversed().map((assistant) => ({
            user_id: userId,
            ...toSettingsColumns(assistant),
            is_default: assistant.isDefault ? (1 as const) : (0 as const),
            provider_assistant_id: assistant.openaiAssistantId,
            created_at: assistant.createdAt ?? now,
            updated_at: now,
          })),
        )
        .returningAll()
        .returning(fileCount)
        .execute();
      return rows.map(toAssistant).sort((a, b) => b.id - a.id);
    },
    async update(userId: number, id: number, draft: AssistantSettings): Promise<Assistant> {
      const row = await db
        .updateTable('assistants')
        .set({ ...toSettingsColumns(draft), updated_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returningAll()
        .returning(fileCount)
        .executeTakeFirstOrThrow();
      return toAssistant(row);
    },
    /** Gives several assistants the same model and effort, each with its next version. */
    async updateSome(userId: number, ids: number[], { model, reasoningEffort }: Required<ModelChange>, at: string) {
      await db
        .updateTable('assistants')
        .set((eb) => ({
          model,
          reasoning_effort: reasoningEffort,
          version: eb('version', '+', 1),
          updated_at: at,
        }))
        .where('user_id', '=', userId)
        .where('id', 'in', ids)
        .execute();
    },
    async delete(userId: number, id: number): Promise<{ wasDefault: boolean } | undefined> {
      const row = await db
        .deleteFrom('assistants')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning('is_default')
        .executeTakeFirst();
      return row && { wasDefault: row.is_default === 1 };
    },
    /** Clears the old default first; a unique index allows only one. */
    async setDefault(userId: number, id: number): Promise<Assistant> {
      await db
        .updateTable('assistants')
        .set({ is_default: 0 })
        .where('user_id', '=', userId)
        .where('is_default', '=', 1)
        .execute();
      const row = await db
        .updateTable('assistants')
        .set({ is_default: 1 })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returningAll()
        .returning(fileCount)
        .executeTakeFirstOrThrow();
      return toAssistant(row);
    },
  };
}

export type AssistantRepository = ReturnType<typeof assistantRepository>;
