import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

type Mark = { importId: number; sourceId: string; archivedAt: string | null; updatedAt: string };

/** Projects that imports have brought. */
export function importedProjectRepository(db: Kysely<Database>) {
  return {
    async isHere(userId: number, sourceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('projects')
        .select('id')
        .where('user_id', '=', userId)
        .where('source_id', '=', sourceId)
        .executeTakeFirst();
      return row !== undefined;
    },
    async mark(userId: number, id: number, { importId, sourceId, archivedAt, updatedAt }: Mark) {
      await db
        .updateTable('projects')
        .set({ import_id: importId, source_id: sourceId, archived_at: archivedAt, updated_at: updatedAt })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    /** A project of this import without conversations, unchanged since. */
    async untouched(userId: number, importId: number): Promise<number | undefined> {
      const row = await db
        .selectFrom('projects')
        .select('id')
        .where('user_id', '=', userId)
        .where('import_id', '=', importId)
        .where(sql<boolean>`not exists (select 1 from threads where threads.project_id = projects.id)`)
        .where(
          sql<boolean>`updated_at < (select imports.finished_at from imports where imports.id = projects.import_id)`,
        )
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
  };
}
