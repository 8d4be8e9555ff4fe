import { type Kysely, sql } from 'kysely';
import { shareLockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';

const dayName = 'model_ends_told';
/** A thread with its own model counts if it was used within this time. */
export const activeThreadMs = 90 * 24 * 60 * 60_000;

type InUse = { userId: number; model: string; baseModel: string | null; assistants: number };
export type Notification = { userId: number; model: string; step: number; shutdownDate: string };

/** Mails about retiring models. Queries cover many users; the caller works in batches. */
export function notificationRepository(db: Kysely<Database>) {
  return {
    /** true: no process has started this day’s round, and it is claimed now. */
    async claimDay(day: string): Promise<boolean> {
      const row = await db
        .insertInto('settings')
        .values({ name: dayName, value: day })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: day }).where('settings.value', '<', day))
        .returning('name')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** The next active users who want these mails. */
    async recipients(after: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('users')
        .leftJoin('preferences', 'preferences.user_id', 'users.id')
        .select('users.id')
        .where('users.id', '>', after)
        .where('users.status', '=', 'Active')
        .where(sql<boolean>`coalesce(preferences.model_mails, 1) = 1`)
        .orderBy('users.id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Models used by their assistants, threads with their own model, and fine-tuned models. */
    async inUse(userIds: number[], now: number): Promise<InUse[]> {
      const since = new Date(now - activeThreadMs).toISOString();
      const users = sql.join(userIds);
      const { rows } = await sql<InUse>`
        select used.user_id as "userId", used.model as model, max(c.base_model) as "baseModel",
          sum(used.assistants) as assistants
        from (
          select user_id, model, count(*) as assistants from assistants where user_id in (${users}) group by user_id, model
          union all
          select user_id, model, 0 from threads where user_id in (${users}) and purpose = 'chat'
            and assistant_id is null and model is not null and updated_at >= ${since}
          union all
          select user_id, base_model, 0 from custom_models where user_id in (${users}) and is_active = 1
        ) used
        left join custom_models c on c.user_id = used.user_id and c.model = used.model
        group by used.user_id, used.model`.execute(db);
      return rows;
    },

    sent: (userIds: number[]): Promise<Notification[]> =>
      db
        .selectFrom('model_end_mails')
        .select(['user_id as userId', 'model', 'step', 'shutdown_date as shutdownDate'])
        .where('user_id', 'in', userIds)
        .execute(),

    /** Returns the models that were not recorded yet, or with another date. */
    async note(userId: number, notifications: Omit<Notification, 'userId'>[], at: string): Promise<Set<string>> {
      await shareLockUser(db, userId);
      const rows = notifications.map(({ model, step, shutdownDate }) => ({
        user_id: userId,
        model,
        step,
        shutdown_date: shutdownDate,
        created_at: at,
      }));
      const noted = await db
        .insertInto('model_end_mails')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['user_id', 'model', 'step'])
            .doUpdateSet({ shutdown_date: sql`excluded.shutdown_date`, created_at: at })
            .where('model_end_mails.shutdown_date', '<>', sql<string>`excluded.shutdown_date`),
        )
        .returning('model')
        .execute();
      return new Set(noted.map(({ model }) => model));
    },
  };
}
