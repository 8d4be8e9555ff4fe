import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Fields that API clients set beyond those of the form, as they sent them. */
export type ApiFields = Record<string, unknown>;

export function apiFieldsRepository(db: Kysely<Database>) {
  return {
    /** Only assistants that have any are in the map. */
    async of(userId: number, assistantIds: number[]): Promise<Map<number, ApiFields>> {
      if (assistantIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('assistant_api_fields')
        .select(['assistant_id', 'fields'])
        .where('user_id', '=', userId)
        .where('assistant_id', 'in', assistantIds)
        .execute();
      return new Map(rows.map(({ assistant_id: id, fields }) => [id, JSON.parse(fields)]));
    },
    /** Replaces the stored fields. */
    async put(userId: number, assistantId: number, fields: ApiFields) {
      const text = JSON.stringify(fields);
      await db
        .insertInto('assistant_api_fields')
        .values({ assistant_id: assistantId, user_id: userId, fields: text })
        .onConflict((conflict) => conflict.column('assistant_id').doUpdateSet({ fields: text }))
        .execute();
    },
  };
}
