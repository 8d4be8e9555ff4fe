import { createHash } from 'node:crypto';
import type { Prompt, PromptDraft, PromptListItem, PromptSort } from '@roster/contracts/prompts/prompts';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Start of a page: after the prompt with this name, which was used at this time; empty: not used yet. */
type PromptCursor = { name: string; usedAt: string };

type Page = { limit: number; sort: PromptSort; after: PromptCursor | undefined; search: string };
export type NewPrompt = PromptDraft & { createdAt: string; updatedAt: string; usedAt: string | null };

const previewLength = 200;

export const hashOfText = (text: string) => createHash('sha256').update(text).digest('hex');

const searchKey = (words: string) => words.normalize('NFKC').toLowerCase();
const pattern = (words: string) => `%${searchKey(words).replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

/** Columns that follow from name, title and text. */
const derived = ({ name, title, text }: PromptDraft) => ({
  search_key: searchKey(`${name}\n${title}`),
  text_hash: hashOfText(text),
});

export function promptRepository(db: Kysely<Database>) {
  const listed = (userId: number) =>
    db
      .selectFrom('prompts')
      .select(['id', 'name', 'title', 'created_at as createdAt', 'updated_at as updatedAt', 'used_at as usedAt'])
      .where('user_id', '=', userId);
  const whole = (userId: number) => listed(userId).select('text');

  return {
    async page(userId: number, { limit, sort, after, search }: Page): Promise<PromptListItem[]> {
      const usedAt = sql<string>`coalesce(used_at, '')`;
      let query = listed(userId)
        .select(sql<string>`substr(text, 1, ${sql.lit(previewLength)})`.as('preview'))
        .limit(limit);
      if (search !== '') query = query.where(sql<boolean>`search_key like ${pattern(search)} escape '\\'`);
      if (sort === 'name') {
        if (after) query = query.where('name', '>', after.name);
        return query.orderBy('name').execute();
      }
      if (after)
        query = query.where((eb) =>
          eb.or([eb(usedAt, '<', after.usedAt), eb.and([eb(usedAt, '=', after.usedAt), eb('name', '>', after.name)])]),
        );
      return query.orderBy(usedAt, 'desc').orderBy('name').execute();
    },
    /** Prompts with their texts, by name. */
    after: (userId: number, name: string, limit: number): Promise<Prompt[]> =>
      whole(userId).where('name', '>', name).orderBy('name').limit(limit).execute(),
    find: (userId: number, id: number): Promise<Prompt | undefined> =>
      whole(userId).where('id', '=', id).executeTakeFirst(),
    /** Names of all prompts with what tells their texts apart; a user has few. */
    names: (userId: number): Promise<{ id: number; name: string; textHash: string }[]> =>
      db.selectFrom('prompts').select(['id', 'name', 'text_hash as textHash']).where('user_id', '=', userId).execute(),
    async insert(userId: number, drafts: readonly NewPrompt[]): Promise<number[]> {
      if (drafts.length === 0) return [];
      const rows = await db
        .insertInto('prompts')
        .values(
          drafts.map((draft) => ({
            user_id: userId,
            name: draft.name,
            title: draft.title,
            text: draft.text,
            ...derived(draft),
            created_at: draft.createdAt,
            updated_at: draft.updatedAt,
            used_at: draft.usedAt,
          })),
        )
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    async update(userId: number, id: number, { name, title, text }: PromptDraft, at: string) {
      await db
        .updateTable('prompts')
        .set({ name, title, text, ...derived({ name, title, text }), updated_at: at })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    async markUsed(userId: number, id: number, at: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('prompts')
        .set({ used_at: at })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('prompts')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type PromptRepository = ReturnType<typeof promptRepository>;
