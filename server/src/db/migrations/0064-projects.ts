import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * Projects with their files, and the project that a conversation is in.
 *
 * Long: the columns.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  await db.schema
    .createTable('projects')
    .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
      engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('icon', 'text', (c) => c.notNull())
    .addColumn('color', 'text', (c) => c.notNull())
    .addColumn('instructions', 'text', (c) => c.notNull())
    .addColumn('assistant_id', 'integer', (c) => c.references('assistants.id').onDelete('set null'))
    .addColumn('model', 'text')
    .addColumn('archived_at', 'text')
    // Without a reference: in backups, vector stores come after projects. Their ids are never used again.
    .addColumn('store_id', 'integer')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('projects_user').on('projects').column('user_id').execute();
  await db.schema
    .createIndex('projects_assistant')
    .on('projects')
    .column('assistant_id')
    .where('assistant_id', 'is not', null)
    .execute();
  await db.schema
    .createTable('project_files')
    .addColumn('project_id', 'integer', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('file_id', 'integer', (c) => c.notNull().references('files.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('indexed_file_id', 'text')
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addColumn('changed_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('project_files_pk', ['project_id', 'file_id'])
    .execute();
  await db.schema.createIndex('project_files_file').on('project_files').column('file_id').execute();
  await db.schema.createIndex('project_files_user').on('project_files').column('user_id').execute();
  await db.schema
    .alterTable('threads')
    .addColumn('project_id', 'integer', (c) => c.references('projects.id').onDelete('set null'))
    .execute();
  await db.schema
    .createIndex('threads_project')
    .on('threads')
    .columns(['project_id', 'updated_at', 'id'])
    .where('project_id', 'is not', null)
    .execute();
}
