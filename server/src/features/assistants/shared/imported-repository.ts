import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

type Mark = { importId: number; sourceId: string; version: number; updatedAt: string };

/** Assistants that imports have brought. */
export function importedAssistantRepository(db: Kysely<Database>) {
  return {
    /** null: no import has brought it, or it was deleted. */
    async idOf(userId: number, sourceId: string): Promise<number | null> {
      const row = await db
        .selectFrom('assistants')
        .select('id')
        .where('user_id', '=', userId)
        .where('source_id', '=', sourceId)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async mark(userId: number, id: number, { importId, sourceId, version, updatedAt }: Mark) {
      await db
        .updateTable('assistants')
        .set({ import_id: importId, source_id: sourceId, version, updated_at: updatedAt })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    /** True if this import has brought the default assistant, so that it may name another one. */
    async isDefaultOf(userId: number, importId: number): Promise<boolean> {
      const row = await db
        .selectFrom('assistants')
        .select('id')
        .where('user_id', '=', userId)
        .where('is_default', '=', 1)
        .where('import_id', '=', importId)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** An assistant of this import without conversations, answers and versions of its own here. */
    async untouched(userId: number, importId: number): Promise<number | undefined> {
      const row = await db
        .selectFrom('assistants')
        .select('id')
        .where('user_id', '=', userId)
        .where('import_id', '=', importId)
        .where(sql<boolean>`not exists (select 1 from threads where threads.assistant_id = assistants.id)`)
        .where(sql<boolean>`not exists (select 1 from runs where runs.assistant_id = assistants.id)`)
        .where(
          sql<boolean>`not exists (select 1 from assistant_versions version where version.assistant_id = assistants.id
            and version.created_at > (select imports.created_at from imports where imports.id = assistants.import_id))`,
        )
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
  };
}
