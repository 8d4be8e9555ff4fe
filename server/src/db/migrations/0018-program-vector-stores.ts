import type { Kysely } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';

/**
 * The vector stores that programs make. What is at the provider is the row of `vector_stores`, as for assistants; here is
 * what the program says of it, its files and the batches that they came in.
 */
export async function up(db: Kysely<Database>, engine: Engine) {
  const numbered = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('id', engine === 'postgres' ? 'serial' : 'integer', (c) =>
        engine === 'postgres' ? c.primaryKey() : c.primaryKey().autoIncrement(),
      )
      .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'));

  await db.schema
    .createTable('program_vector_stores')
    .addColumn('store_id', 'integer', (c) => c.primaryKey().references('vector_stores.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('metadata', 'text', (c) => c.notNull())
    .addColumn('expires_after_days', 'integer')
    .addColumn('expires_at', 'text')
    .addColumn('last_active_at', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('program_vector_stores_owner')
    .on('program_vector_stores')
    .columns(['user_id', 'store_id'])
    .execute();
  await db.schema
    .createIndex('program_vector_stores_expiry')
    .on('program_vector_stores')
    .column('expires_at')
    .where('expires_at', 'is not', null)
    .execute();

  await numbered('program_vector_store_files')
    .addColumn('store_id', 'integer', (c) =>
      c.notNull().references('program_vector_stores.store_id').onDelete('cascade'),
    )
    .addColumn('file_id', 'integer', (c) => c.notNull().references('files.id').onDelete('cascade'))
    .addColumn('attributes', 'text', (c) => c.notNull())
    // The provider has been told the attributes as they are here.
    .addColumn('attributes_sent', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('chunking', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('error_code', 'text')
    .addColumn('indexed_file_id', 'text')
    .addColumn('usage_bytes', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('added_at', 'text', (c) => c.notNull())
    .addColumn('changed_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('program_vector_store_files_once', ['store_id', 'file_id'])
    .execute();
  await db.schema
    .createIndex('program_vector_store_files_owner')
    .on('program_vector_store_files')
    .columns(['user_id', 'store_id', 'id'])
    .execute();
  await db.schema
    .createIndex('program_vector_store_files_file')
    .on('program_vector_store_files')
    .column('file_id')
    .execute();

  await numbered('program_vector_store_batches')
    .addColumn('store_id', 'integer', (c) =>
      c.notNull().references('program_vector_stores.store_id').onDelete('cascade'),
    )
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('cancelled_at', 'text')
    .execute();
  await db.schema
    .createIndex('program_vector_store_batches_owner')
    .on('program_vector_store_batches')
    .columns(['user_id', 'store_id', 'id'])
    .execute();

  await db.schema
    .createTable('program_vector_store_batch_files')
    .addColumn('batch_id', 'integer', (c) =>
      c.notNull().references('program_vector_store_batches.id').onDelete('cascade'),
    )
    .addColumn('entry_id', 'integer', (c) =>
      c.notNull().references('program_vector_store_files.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('program_vector_store_batch_files_pk', ['batch_id', 'entry_id'])
    .execute();
  await db.schema
    .createIndex('program_vector_store_batch_files_entry')
    .on('program_vector_store_batch_files')
    .column('entry_id')
    .execute();
  await db.schema
    .createIndex('program_vector_store_batch_files_owner')
    .on('program_vector_store_batch_files')
    .column('user_id')
    .execute();
}
