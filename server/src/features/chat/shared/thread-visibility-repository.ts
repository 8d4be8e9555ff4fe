import { sql } from 'kysely';

/** Conversations in lists, and temporary ones. */
export const canBeOpened = sql<boolean>`threads.purpose in ('chat', 'temporary')`;

/** For runs that are found by their own id: those of conversations in the trash are not found. */
export const isNotInTrash = (column: 'runs.thread_id' | 'program_runs.thread_id') =>
  sql<boolean>`not exists (select 1 from threads
    where threads.id = ${sql.ref(column)} and threads.deleted_at is not null)`;
