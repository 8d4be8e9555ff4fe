import { modelUsageListLimit } from '@roster/contracts/models/retirement';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** The newest conversations, which are checked. */
const scannedThreadLimit = 2_000;

type ModelCount = { model: string; count: number };
type NamedRecord = { id: number; name: string };
export type TunedModelInUse = NamedRecord & {
  model: string;
  baseModel: string;
  /** The job and dataset it was made with, if they still exist. */
  job: NamedRecord | null;
  dataset: NamedRecord | null;
};

const named = (id: number | null, name: string | null): NamedRecord | null =>
  id === null || name === null ? null : { id, name };

export function affectedRepository(db: Kysely<Database>) {
  return {
    byAssistants: (userId: number): Promise<ModelCount[]> =>
      db
        .selectFrom('assistants')
        .select(({ fn }) => ['model', fn.countAll<number>().as('count')])
        .where('user_id', '=', userId)
        .groupBy('model')
        .execute(),

    /** The first assistants of each model by name. */
    async assistantsOf(userId: number, models: string[]): Promise<{ id: number; name: string; model: string }[]> {
      if (models.length === 0) return [];
      const { rows } = await sql<{ id: number; name: string; model: string }>`
        select id, name, model from (
          select id, name, model, row_number() over (partition by model order by name, id) as place
          from assistants where user_id = ${userId} and model in (${sql.join(models)})) named
        where place <= ${sql.lit(modelUsageListLimit)} order by name, id`.execute(db);
      return rows;
    },

    /** The model that writes a thread’s next answer: its assistant’s, its own, or the one that answered last. */
    async byConversations(userId: number): Promise<ModelCount[]> {
      const { rows } = await sql<ModelCount>`
        select coalesce(a.model, t.model, r.model) as model, count(*) as count
        from (select assistant_id, model, head_message_id from threads
          where user_id = ${userId} and purpose = 'chat'
          order by id desc limit ${sql.lit(scannedThreadLimit)}) t
        left join assistants a on a.id = t.assistant_id and a.user_id = ${userId}
        left join runs r on r.message_id = t.head_message_id and r.user_id = ${userId}
        where coalesce(a.model, t.model, r.model) is not null
        group by coalesce(a.model, t.model, r.model)`.execute(db);
      return rows;
    },

    /** Fine-tuned models that the model picker offers. */
    async tunedModels(userId: number): Promise<TunedModelInUse[]> {
      const rows = await db
        .selectFrom('custom_models as c')
        .leftJoin('fine_tuning_jobs as j', 'j.id', 'c.job_id')
        .leftJoin('datasets as d', (join) =>
          join.onRef('d.id', '=', 'j.dataset_id').onRef('d.user_id', '=', 'c.user_id'),
        )
        .select(['c.id', 'c.name', 'c.model', 'c.base_model', 'j.id as job_id', 'j.name as job_name'])
        .select(['d.id as dataset_id', 'd.name as dataset_name'])
        .where('c.user_id', '=', userId)
        .where('c.is_active', '=', 1)
        .orderBy('c.name')
        .orderBy('c.id')
        .execute();
      return rows.map(({ id, name, model, base_model: baseModel, ...made }) => ({
        ...{ id, name, model, baseModel },
        job: named(made.job_id, made.job_name),
        dataset: named(made.dataset_id, made.dataset_name),
      }));
    },
  };
}
