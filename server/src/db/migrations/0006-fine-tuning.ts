import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/** Fine-tuning jobs with what the provider tells of them, the models that came of them, and comparisons. */
export async function up(db: Kysely<Database>, engine: Engine) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      )
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await table('fine_tuning_jobs')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('base_model', 'text', (c) => c.notNull())
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('hyperparameters', 'text', (c) => c.notNull())
    .addColumn('training_file_id', 'integer', (c) => c.references('files.id').onDelete('set null'))
    .addColumn('training_filename', 'text', (c) => c.notNull())
    .addColumn('validation_file_id', 'integer', (c) => c.references('files.id').onDelete('set null'))
    .addColumn('validation_filename', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('notice', 'text')
    .addColumn('error_code', 'text')
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('sent_at', 'text')
    .addColumn('provider_job_id', 'text')
    .addColumn('tuned_model', 'text')
    .addColumn('trained_tokens', 'bigint')
    .addColumn('cost_usd', 'double precision')
    .addColumn('cancel_requested', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('estimated_finish_at', 'text')
    .addColumn('total_steps', 'integer')
    .addColumn('result_file_id', 'text')
    .addColumn('last_provider_event_id', 'text')
    .addColumn('follow_number', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('finished_at', 'text')
    .addUniqueConstraint('fine_tuning_jobs_once', ['user_id', 'provider_job_id'])
    .execute();
  await db.schema.createIndex('fine_tuning_jobs_user').on('fine_tuning_jobs').columns(['user_id', 'id']).execute();
  await sql`create index fine_tuning_jobs_open on fine_tuning_jobs (user_id, id)
    where status not in ('succeeded', 'failed', 'cancelled')`.execute(db);
  for (const column of ['training_file_id', 'validation_file_id'] as const)
    await db.schema.createIndex(`fine_tuning_jobs_${column}`).on('fine_tuning_jobs').column(column).execute();

  await table('fine_tuning_events')
    .addColumn('job_id', 'integer', (c) => c.notNull().references('fine_tuning_jobs.id').onDelete('cascade'))
    .addColumn('provider_event_id', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addUniqueConstraint('fine_tuning_events_once', ['job_id', 'provider_event_id'])
    .execute();
  await db.schema.createIndex('fine_tuning_events_job').on('fine_tuning_events').columns(['job_id', 'id']).execute();

  await db.schema
    .createTable('fine_tuning_metrics')
    .addColumn('job_id', 'integer', (c) => c.notNull().references('fine_tuning_jobs.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('step', 'integer', (c) => c.notNull())
    .addColumn('train_loss', 'double precision')
    .addColumn('train_accuracy', 'double precision')
    .addColumn('valid_loss', 'double precision')
    .addColumn('valid_accuracy', 'double precision')
    .addColumn('full_valid_loss', 'double precision')
    .addColumn('full_valid_accuracy', 'double precision')
    .addPrimaryKeyConstraint('fine_tuning_metrics_pk', ['job_id', 'step'])
    .execute();

  await table('fine_tuning_checkpoints')
    .addColumn('job_id', 'integer', (c) => c.notNull().references('fine_tuning_jobs.id').onDelete('cascade'))
    .addColumn('provider_checkpoint_id', 'text', (c) => c.notNull())
    .addColumn('step', 'integer', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('train_loss', 'double precision')
    .addColumn('valid_loss', 'double precision')
    .addColumn('valid_accuracy', 'double precision')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('fine_tuning_checkpoints_once', ['job_id', 'provider_checkpoint_id'])
    .execute();

  await table('custom_models')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('base_model', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('is_active', 'integer', (c) => c.notNull())
    .addColumn('job_id', 'integer', (c) => c.references('fine_tuning_jobs.id').onDelete('set null'))
    .addColumn('step', 'integer')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('custom_models_once', ['user_id', 'model'])
    .execute();
  await db.schema.createIndex('custom_models_user').on('custom_models').columns(['user_id', 'id']).execute();
  await db.schema.createIndex('custom_models_job').on('custom_models').column('job_id').execute();

  await table('comparisons')
    .addColumn('tuned_model', 'text', (c) => c.notNull())
    .addColumn('base_model', 'text', (c) => c.notNull())
    .addColumn('temperature', 'double precision')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('comparisons_user').on('comparisons').columns(['user_id', 'id']).execute();

  // What is asked in a comparison is a thread of its own, which no list of conversations shows.
  await db.schema
    .alterTable('threads')
    .addColumn('purpose', 'text', (c) => c.notNull().defaultTo('chat'))
    .execute();
  await db.schema.dropIndex('threads_list').execute();
  await db.schema
    .createIndex('threads_list')
    .on('threads')
    .columns(['user_id', 'purpose', 'archived', 'pinned', 'updated_at', 'id'])
    .execute();

  await table('comparison_prompts')
    .addColumn('comparison_id', 'integer', (c) => c.notNull().references('comparisons.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('instructions', 'text', (c) => c.notNull())
    .addColumn('turns', 'text', (c) => c.notNull())
    .addColumn('expected', 'text')
    .addColumn('tuned_thread_id', 'integer', (c) => c.references('threads.id').onDelete('set null'))
    .addColumn('base_thread_id', 'integer', (c) => c.references('threads.id').onDelete('set null'))
    .addColumn('vote', 'text')
    .addUniqueConstraint('comparison_prompts_position', ['comparison_id', 'position'])
    .execute();
  for (const column of ['tuned_thread_id', 'base_thread_id'] as const)
    await db.schema.createIndex(`comparison_prompts_${column}`).on('comparison_prompts').column(column).execute();

  await db.schema.alterTable('usage_records').addColumn('job_id', 'integer').execute();
}
