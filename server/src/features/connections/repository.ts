import {
  type AbilityCheck,
  AbilityCheck as Check,
  type ConnectionChange,
  type ConnectionUses,
} from '@roster/contracts/connections/connections';
import { type Insertable, type Kysely, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';

type Changes = Pick<
  Updateable<Database['connections']>,
  | 'name'
  | 'name_key'
  | 'key_sealed'
  | 'key_last4'
  | 'headers_sealed'
  | 'header_names'
  | 'api'
  | 'first_token_seconds'
  | 'is_paused'
  | 'position'
  | 'notice'
  | 'checks'
  | 'checked_at'
>;

/** Two names that people would not tell apart are one. */
export const nameKeyOf = (name: string) => name.normalize('NFKC').toLowerCase();

const flagOf = (isSet: boolean): 0 | 1 => (isSet ? 1 : 0);

type Change = Pick<ConnectionChange, 'name' | 'api' | 'firstTokenSeconds' | 'isPaused'>;

/** The columns of a change, of one's own connection or of an offered one; the key has its own. */
export const changedColumns = ({ name, api, firstTokenSeconds, isPaused }: Change) => ({
  ...(name !== undefined && { name, name_key: nameKeyOf(name) }),
  ...(api !== undefined && { api }),
  ...(firstTokenSeconds !== undefined && { first_token_seconds: firstTokenSeconds }),
  ...(isPaused !== undefined && { is_paused: flagOf(isPaused) }),
});

export const parseHeaderNames = (stored: string): string[] => z.array(z.string()).parse(JSON.parse(stored));

export const parseChecks = (stored: string): AbilityCheck[] => z.array(Check).parse(JSON.parse(stored));

/** Changes to connections; provider/connections/connection-repository.ts reads them. */
export function connectionStore(db: Kysely<Database>) {
  return {
    async insert(row: Insertable<Database['connections']>): Promise<number> {
      const { id } = await db.insertInto('connections').values(row).returning('id').executeTakeFirstOrThrow();
      return id;
    },
    async update(userId: number, id: number, changes: Changes): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('connections')
        .set(changes)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Stores the order of all connections of a user in one statement. */
    async reorder(userId: number, ids: readonly number[]) {
      if (ids.length === 0) return;
      const cases = sql.join(
        ids.map((id, position) => sql`when id = ${id} then cast(${position} as integer)`),
        sql` `,
      );
      await db
        .updateTable('connections')
        .set({ position: sql<number>`case ${cases} else position end` })
        .where('user_id', '=', userId)
        .execute();
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('connections')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Counts what names a model of the connection. Deleted conversations and earlier versions are left out. */
    async uses(userId: number, id: number): Promise<ConnectionUses> {
      const pattern = `@${id}/%`;
      const counted = (table: 'assistants' | 'threads' | 'projects') => {
        const query = db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where(sql.ref<number>(`${table}.user_id`), '=', userId)
          .where((eb) => {
            const named = eb(sql.ref<string>(`${table}.model`), 'like', pattern);
            if (table !== 'assistants') return named;
            return eb.or([named, eb(sql.ref<string>('assistants.fallback_model'), 'like', pattern)]);
          });
        return (table === 'threads' ? query.where(sql.ref('threads.deleted_at'), 'is', null) : query)
          .executeTakeFirstOrThrow()
          .then(({ count }) => Number(count));
      };
      const runs = await db
        .selectFrom('comparisons')
        .select((eb) => eb.fn.count<number>('test_set_id').distinct().as('count'))
        .where('user_id', '=', userId)
        .where((eb) => eb.or([eb('tuned_model', 'like', pattern), eb('base_model', 'like', pattern)]))
        .executeTakeFirstOrThrow();
      const trainings = await db
        .selectFrom('fine_tuning_jobs')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('base_model', 'like', pattern)
        .where('finished_at', 'is', null)
        .executeTakeFirstOrThrow();
      return {
        assistants: await counted('assistants'),
        conversations: await counted('threads'),
        projects: await counted('projects'),
        testSets: Number(runs.count),
        trainings: Number(trainings.count),
      };
    },
  };
}
