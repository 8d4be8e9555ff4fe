import type { Checkpoint, JobEvent, JobMetric } from '@roster/contracts/fine-tuning/jobs';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type {
  ProviderCheckpoint,
  ProviderJobEvent,
  ProviderMetrics,
} from '#server/provider/resources/fine-tuning-answers';

const rowsAtOnce = 200;

function* batches<T>(rows: T[]): Generator<T[]> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce);
}

const measures = [
  'train_loss',
  'train_accuracy',
  'valid_loss',
  'valid_accuracy',
  'full_valid_loss',
  'full_valid_accuracy',
] as const;

/** Several reports of a step become one point. */
function byStep(metrics: ProviderMetrics[]): ProviderMetrics[] {
  const points = new Map<number, ProviderMetrics>();
  for (const metric of metrics) {
    const point = points.get(metric.step);
    points.set(metric.step, {
      step: metric.step,
      trainLoss: metric.trainLoss ?? point?.trainLoss ?? null,
      trainAccuracy: metric.trainAccuracy ?? point?.trainAccuracy ?? null,
      validLoss: metric.validLoss ?? point?.validLoss ?? null,
      validAccuracy: metric.validAccuracy ?? point?.validAccuracy ?? null,
      fullValidLoss: metric.fullValidLoss ?? point?.fullValidLoss ?? null,
      fullValidAccuracy: metric.fullValidAccuracy ?? point?.fullValidAccuracy ?? null,
    });
  }
  return [...points.values()];
}

/** Reports of the provider on a running job: events, the points of the curves, checkpoints. */
export function progressRepository(db: Kysely<Database>) {
  return {
    /** In the order in which they happened; existing events stay unchanged. */
    async addEvents(userId: number, jobId: number, events: ProviderJobEvent[]) {
      for (const batch of batches(events))
        await db
          .insertInto('fine_tuning_events')
          .values(
            batch.map(({ id, at, level, message }) => ({
              user_id: userId,
              job_id: jobId,
              provider_event_id: id,
              at,
              level,
              message,
            })),
          )
          .onConflict((conflict) => conflict.columns(['job_id', 'provider_event_id']).doNothing())
          .execute();
    },

    /** Merged with what is known of a step already. */
    async addMetrics(userId: number, jobId: number, metrics: ProviderMetrics[]) {
      for (const batch of batches(byStep(metrics)))
        await db
          .insertInto('fine_tuning_metrics')
          .values(
            batch.map((metric) => ({
              job_id: jobId,
              user_id: userId,
              step: metric.step,
              train_loss: metric.trainLoss,
              train_accuracy: metric.trainAccuracy,
              valid_loss: metric.validLoss,
              valid_accuracy: metric.validAccuracy,
              full_valid_loss: metric.fullValidLoss,
              full_valid_accuracy: metric.fullValidAccuracy,
            })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['job_id', 'step'])
              .doUpdateSet(
                Object.fromEntries(
                  measures.map((name) => [
                    name,
                    sql`coalesce(${sql.ref(`excluded.${name}`)}, ${sql.ref(`fine_tuning_metrics.${name}`)})`,
                  ]),
                ),
              ),
          )
          .execute();
    },

    async addCheckpoints(userId: number, jobId: number, checkpoints: ProviderCheckpoint[]) {
      for (const batch of batches(checkpoints))
        await db
          .insertInto('fine_tuning_checkpoints')
          .values(
            batch.map(({ id, step, model, createdAt, metrics }) => ({
              user_id: userId,
              job_id: jobId,
              provider_checkpoint_id: id,
              step,
              model,
              train_loss: metrics.trainLoss,
              valid_loss: metrics.fullValidLoss ?? metrics.validLoss,
              valid_accuracy: metrics.fullValidAccuracy ?? metrics.validAccuracy,
              created_at: createdAt,
            })),
          )
          .onConflict((conflict) => conflict.columns(['job_id', 'provider_checkpoint_id']).doNothing())
          .execute();
    },

    /** Newest first. */
    events: (userId: number, jobId: number, limit: number, before: number | undefined): Promise<JobEvent[]> =>
      db
        .selectFrom('fine_tuning_events')
        .select(['id', 'at', 'level', 'message'])
        .where('user_id', '=', userId)
        .where('job_id', '=', jobId)
        .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** By step; evenly chosen if there are more than `most`, with the first and the last. */
    async metrics(userId: number, jobId: number, most: number): Promise<JobMetric[]> {
      const { rows } = await sql<JobMetric>`
        select step, train_loss as "trainLoss", train_accuracy as "trainAccuracy", valid_loss as "validLoss",
          valid_accuracy as "validAccuracy", full_valid_loss as "fullValidLoss",
          full_valid_accuracy as "fullValidAccuracy"
        from (
          select m.*, row_number() over (order by step) - 1 as place, count(*) over () as points
          from fine_tuning_metrics m where user_id = ${userId} and job_id = ${jobId}
        ) numbered
        where points <= ${most} or place = 0
          or cast(place * ${most - 1} / nullif(points - 1, 0) as integer)
            > cast((place - 1) * ${most - 1} / nullif(points - 1, 0) as integer)
        order by step`.execute(db);
      return rows;
    },

    /** Latest first. */
    checkpoints: (userId: number, jobId: number): Promise<Checkpoint[]> =>
      db
        .selectFrom('fine_tuning_checkpoints as c')
        .leftJoin('custom_models as m', (join) =>
          join.onRef('m.model', '=', 'c.model').onRef('m.user_id', '=', 'c.user_id'),
        )
        .select([
          'c.id',
          'c.step',
          'c.model',
          'c.train_loss as trainLoss',
          'c.valid_loss as validLoss',
          'c.valid_accuracy as validAccuracy',
          'c.created_at as createdAt',
          'm.id as customModelId',
        ])
        .where('c.user_id', '=', userId)
        .where('c.job_id', '=', jobId)
        .orderBy('c.step', 'desc')
        .orderBy('c.id', 'desc')
        .execute(),
  };
}

export type ProgressRepository = ReturnType<typeof progressRepository>;
