import { ModelChoices, type modelChoices, noModelChoices } from '@roster/contracts/models/model-choices';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';

const listOf = (stored: string): string[] => ModelChoices.shape.favorites.parse(JSON.parse(stored));

export function modelChoiceRepository(db: Kysely<Database>) {
  /** Nothing is chosen until something was saved. */
  async function find(userId: number): Promise<ModelChoices> {
    const row = await db.selectFrom('model_choices').selectAll().where('user_id', '=', userId).executeTakeFirst();
    if (!row) return noModelChoices;
    return { favorites: listOf(row.favorites), hidden: listOf(row.hidden), recent: listOf(row.recent) };
  }
  return {
    find,
    /** Lists that are left out stay, so that two open pages do not undo each other's changes. */
    async save(userId: number, changed: z.output<typeof modelChoices.save.body>): Promise<ModelChoices> {
      const given = Object.entries(changed).map(([name, list]) => [name, JSON.stringify([...new Set(list)])]);
      if (given.length > 0) {
        const empty = { favorites: '[]', hidden: '[]', recent: '[]' };
        const values: Partial<typeof empty> = Object.fromEntries(given);
        await db
          .insertInto('model_choices')
          .values({ user_id: userId, ...empty, ...values })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
          .execute();
      }
      return find(userId);
    },
  };
}

export type ModelChoiceRepository = ReturnType<typeof modelChoiceRepository>;
