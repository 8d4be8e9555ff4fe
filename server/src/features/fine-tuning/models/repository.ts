import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';
import { datasetIn } from '#server/features/fine-tuning/shared/rows';

/** Without its retirement date, which comes from lists of models. */
export type StoredModel = Omit<CustomModel, 'end'>;

type NewModel = Pick<StoredModel, 'name' | 'baseModel' | 'model' | 'isActive' | 'jobId' | 'step'>;

type Row = Selectable<Database['custom_models']> & {
  job_name: string | null;
  dataset_id: number | null;
  dataset_name: string | null;
};

const toModel = (row: Row): StoredModel => ({
  id: row.id,
  name: row.name,
  baseModel: row.base_model,
  model: row.model,
  isActive: row.is_active === 1,
  jobId: row.job_id,
  jobName: row.job_name,
  dataset: datasetIn(row),
  step: row.step,
  createdAt: row.created_at,
});

/** Tuned models: each once, whether it was trained from here or found at the provider. */
export function modelRepository(db: Kysely<Database>) {
  const ofUser = (userId: number) =>
    db
      .selectFrom('custom_models')
      .leftJoin('fine_tuning_jobs', 'fine_tuning_jobs.id', 'custom_models.job_id')
      .leftJoin('datasets', (join) =>
        join
          .onRef('datasets.id', '=', 'fine_tuning_jobs.dataset_id')
          .onRef('datasets.user_id', '=', 'custom_models.user_id'),
      )
      .selectAll('custom_models')
      .select(['fine_tuning_jobs.name as job_name', 'fine_tuning_jobs.dataset_id', 'datasets.name as dataset_name'])
      .where('custom_models.user_id', '=', userId);
  const one = async (userId: number, id: number): Promise<StoredModel | undefined> => {
    const row = await ofUser(userId).where('custom_models.id', '=', id).executeTakeFirst();
    return row && toModel(row);
  };

  return {
    async page(userId: number, limit: number, before: number | undefined): Promise<StoredModel[]> {
      let query = ofUser(userId).orderBy('custom_models.id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('custom_models.id', '<', before);
      return (await query.execute()).map(toModel);
    },

    find: one,

    async all(userId: number): Promise<StoredModel[]> {
      return (await ofUser(userId).orderBy('custom_models.id').execute()).map(toModel);
    },

    /** Models of trainings that were started here: a job that was found at the provider was never sent. */
    async madeHere(userId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('custom_models')
        .innerJoin('fine_tuning_jobs', 'fine_tuning_jobs.id', 'custom_models.job_id')
        .select('custom_models.id')
        .where('custom_models.user_id', '=', userId)
        .where('custom_models.step', 'is', null)
        .where('fine_tuning_jobs.sent_at', 'is not', null)
        .orderBy('custom_models.id')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Fields that the model choice needs. */
    async choice(userId: number): Promise<Pick<StoredModel, 'model' | 'baseModel' | 'isActive'>[]> {
      const rows = await db
        .selectFrom('custom_models')
        .select(['model', 'base_model', 'is_active'])
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => ({ model: row.model, baseModel: row.base_model, isActive: row.is_active === 1 }));
    },

    /** Models that are stored already stay unchanged. */
    async add(userId: number, model: NewModel) {
      await db
        .insertInto('custom_models')
        .values(rowOf(userId, model))
        .onConflict((conflict) => conflict.columns(['user_id', 'model']).doNothing())
        .execute();
    },

    /** Offered from now on, whether it was known or not. */
    async activate(userId: number, model: NewModel): Promise<StoredModel> {
      const { id } = await db
        .insertInto('custom_models')
        .values(rowOf(userId, { ...model, isActive: true }))
        .onConflict((conflict) => conflict.columns(['user_id', 'model']).doUpdateSet({ is_active: 1 }))
        .returning('id')
        .executeTakeFirstOrThrow();
      const activated = await one(userId, id);
      if (!activated) throw new Error('The stored model was not found');
      return activated;
    },

    async setActive(userId: number, id: number, isActive: boolean): Promise<StoredModel | undefined> {
      await db
        .updateTable('custom_models')
        .set({ is_active: isActive ? 1 : 0 })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
      return one(userId, id);
    },

    async delete(userId: number, id: number) {
      await db.deleteFrom('custom_models').where('user_id', '=', userId).where('id', '=', id).execute();
    },
  };
}

const rowOf = (userId: number, model: NewModel) => ({
  user_id: userId,
  name: model.name,
  base_model: model.baseModel,
  model: model.model,
  is_active: model.isActive ? (1 as const) : (0 as const),
  job_id: model.jobId,
  step: model.step,
  created_at: new Date().toISOString(),
});

export type ModelRepository = ReturnType<typeof modelRepository>;
