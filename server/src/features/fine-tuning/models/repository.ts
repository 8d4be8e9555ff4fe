import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';

/** Without the catalogue's fields. */
export type StoredModel = Omit<CustomModel, 'shutdownDate'>;

export type NewModel = Pick<StoredModel, 'name' | 'baseModel' | 'model' | 'isActive' | 'jobId' | 'step'>;

const toModel = (row: Selectable<Database['custom_models']>): StoredModel => ({
  id: row.id,
  name: row.name,
  baseModel: row.base_model,
  model: row.model,
  isActive: row.is_active === 1,
  jobId: row.job_id,
  step: row.step,
  createdAt: row.created_at,
});

/** Tuned models: each once, whether it was trained from here or found at the provider. */
export function modelRepository(db: Kysely<Database>) {
  const ofUser = (userId: number) => db.selectFrom('custom_models').selectAll().where('user_id', '=', userId);

  return {
    async page(userId: number, limit: number, before: number | undefined): Promise<StoredModel[]> {
      let query = ofUser(userId).orderBy('id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('id', '<', before);
      return (await query.execute()).map(toModel);
    },

    async find(userId: number, id: number): Promise<StoredModel | undefined> {
      const row = await ofUser(userId).where('id', '=', id).executeTakeFirst();
      return row && toModel(row);
    },

    async all(userId: number): Promise<StoredModel[]> {
      return (await ofUser(userId).orderBy('id').execute()).map(toModel);
    },

    /** The ends of trainings that were begun from here: a job that was found at the provider was never sent. */
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

    /** The fields that the model choice needs. */
    async choice(userId: number): Promise<Pick<StoredModel, 'model' | 'baseModel' | 'isActive'>[]> {
      const rows = await db
        .selectFrom('custom_models')
        .select(['model', 'base_model', 'is_active'])
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => ({ model: row.model, baseModel: row.base_model, isActive: row.is_active === 1 }));
    },

    /** Models that are stored already stay as they are. */
    async add(userId: number, model: NewModel) {
      await db
        .insertInto('custom_models')
        .values(rowOf(userId, model))
        .onConflict((conflict) => conflict.columns(['user_id', 'model']).doNothing())
        .execute();
    },

    /** Offered from now on, whether it was known or not. */
    async activate(userId: number, model: NewModel): Promise<StoredModel> {
      const row = await db
        .insertInto('custom_models')
        .values(rowOf(userId, { ...model, isActive: true }))
        .onConflict((conflict) => conflict.columns(['user_id', 'model']).doUpdateSet({ is_active: 1 }))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toModel(row);
    },

    async setActive(userId: number, id: number, isActive: boolean): Promise<StoredModel | undefined> {
      const row = await db
        .updateTable('custom_models')
        .set({ is_active: isActive ? 1 : 0 })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && toModel(row);
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
