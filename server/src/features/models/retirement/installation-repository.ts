import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';

/** A fine-tuned model counts as its base, because its own name is private. */
type ModelUse = { model: string; isTuned: boolean; assistants: number; people: number; calls: number };

type ShutdownRow = { model: string; shutdownDate: string | null; isListed: boolean; askedAt: string };

/** More than the models in use. */
const maxModels = 5_000;

/** Usage of models across all users, and the dates in their newest lists. No row identifies a user or their data. */
export function installationUseRepository(db: Kysely<Database>) {
  const second = isPostgres(db)
    ? sql`split_part(named, ':', 2)`
    : sql`substr(named, 4, instr(substr(named, 4) || ':', ':') - 1)`;
  return {
    /** Threads with their own model count while they are used, fine-tuned models while they are active. */
    async byModel(firstDay: string, writtenSince: string): Promise<ModelUse[]> {
      const { rows } = await sql<Omit<ModelUse, 'isTuned'> & { tuned: number }>`
        select case when substr(named, 1, 3) = 'ft:' then ${second} else named end as model, tuned,
          sum(assistants) as assistants, count(distinct user_id) as people, sum(calls) as calls
        from (
          select used.user_id, coalesce(c.base_model, used.model) as named, used.assistants, used.calls,
            case when c.base_model is not null or substr(used.model, 1, 3) = 'ft:' then 1 else 0 end as tuned
          from (
            select user_id, model, count(*) as assistants, 0 as calls from assistants group by user_id, model
            union all
            select user_id, model, 0, 0 from threads
              where purpose = 'chat' and assistant_id is null and model is not null and updated_at >= ${writtenSince}
            union all
            select user_id, model, 0, 0 from custom_models where is_active = 1
            union all
            select user_id, model, 0, sum(requests) from usage_by_day where day >= ${firstDay} group by user_id, model
          ) used
          left join custom_models c on c.user_id = used.user_id and c.model = used.model
        ) of_everybody
        group by 1, 2 order by people desc, 1 limit ${sql.lit(maxModels)}`.execute(db);
      return rows.map(({ model, tuned, assistants, people, calls }) => ({
        ...{ model, isTuned: tuned === 1 },
        ...{ assistants: Number(assistants), people: Number(people), calls: Number(calls) },
      }));
    },

    /** For each model, what the most recently read list says. */
    async dates(baseUrl: string): Promise<ShutdownRow[]> {
      const { rows } = await sql<Omit<ShutdownRow, 'isListed'> & { listed: number }>`
        select model, shutdown_date as "shutdownDate", is_listed as listed, asked_at as "askedAt" from (
          select m.model, m.shutdown_date, m.is_listed, l.asked_at,
            row_number() over (partition by m.model order by l.asked_at desc, l.user_id) as place
          from listed_models m join model_lists l on l.user_id = m.user_id where l.base_url = ${baseUrl}) ranked
        where place = 1 order by model limit ${sql.lit(maxModels)}`.execute(db);
      return rows.map(({ listed, ...row }) => ({ ...row, isListed: listed === 1 }));
    },
  };
}

export type InstallationUseRepository = ReturnType<typeof installationUseRepository>;
