import { AssistantDraftValues, type KeptDraft } from '@roster/contracts/assistants/drafts';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

type StoredDraft = Omit<KeptDraft, 'assistantId'>;

/** Forms that were left without saving: one for each assistant, and one for a new one. */
export function assistantDraftRepository(db: Kysely<Database>) {
  const rows = (userId: number) =>
    db
      .selectFrom('assistant_drafts')
      .select(['assistant_id', 'version', 'draft', 'saved_at'])
      .where('user_id', '=', userId);
  const toDraft = (row: { assistant_id: number | null; version: number | null; draft: string; saved_at: string }) => ({
    assistantId: row.assistant_id,
    version: row.version,
    values: AssistantDraftValues.parse(JSON.parse(row.draft)),
    savedAt: row.saved_at,
  });
  return {
    async find(userId: number, assistantId: number | null): Promise<KeptDraft | null> {
      const row = await rows(userId)
        .where('assistant_id', assistantId === null ? 'is' : '=', assistantId)
        .executeTakeFirst();
      return row ? toDraft(row) : null;
    },
    /** All drafts of a user, for the account export. A user has at most one for each assistant. */
    async after(userId: number, id: number, limit: number): Promise<(KeptDraft & { id: number })[]> {
      const found = await rows(userId).select('id').where('id', '>', id).orderBy('id').limit(limit).execute();
      return found.map((row) => ({ id: row.id, ...toDraft(row) }));
    },
    async put(userId: number, assistantId: number | null, { version, values, savedAt }: StoredDraft) {
      const content = { version, draft: JSON.stringify(values), saved_at: savedAt };
      await db
        .insertInto('assistant_drafts')
        .values({ user_id: userId, assistant_id: assistantId, ...content })
        .onConflict((conflict) => conflict.expression(sql`user_id, coalesce(assistant_id, 0)`).doUpdateSet(content))
        .execute();
    },
    async remove(userId: number, assistantId: number | null) {
      await db
        .deleteFrom('assistant_drafts')
        .where('user_id', '=', userId)
        .where('assistant_id', assistantId === null ? 'is' : '=', assistantId)
        .execute();
    },
  };
}
