import type { Import, ImportSource, LeftOutReason } from '@roster/contracts/imports';
import { type Kysely, type Selectable, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import { addTo, type LeftOut } from './readers/conversation.ts';

type Row = Selectable<Database['imports']>;

/** The contents of an export. */
export type Counts = {
  conversations: number;
  messages: number;
  files: number;
  assistants: number;
  projects: number;
  prompts: number;
  queued: number;
  known: number;
  from: string | null;
  to: string | null;
  leftOut: LeftOut;
  /** Names of what is left out. */
  names: Partial<Record<LeftOutReason, string[]>>;
};

export const noCounts: Counts = {
  conversations: 0,
  messages: 0,
  files: 0,
  assistants: 0,
  projects: 0,
  prompts: 0,
  queued: 0,
  known: 0,
  from: null,
  to: null,
  leftOut: {},
  names: {},
};

export const noProgress = { processed: 0, threads: 0, messages: 0, files: 0, assistants: 0, projects: 0 };
type Progress = typeof noProgress;

export type ImportRecord = Omit<Import, 'leftOut' | 'undoUntil' | 'state'> & {
  state: Row['state'];
  leftOut: LeftOut;
  names: Counts['names'];
  withFiles: boolean;
  storedKey: string | null;
};

const toRecord = (row: Row): ImportRecord => {
  // Counts of earlier releases lack some fields.
  const counts: Counts = { ...noCounts, ...JSON.parse(row.counts) };
  return {
    ...counts,
    id: row.id,
    filename: row.filename,
    size: row.size,
    source: row.source,
    state: row.state,
    processed: row.processed,
    importedConversations: row.imported_threads,
    importedMessages: row.imported_messages,
    importedFiles: row.imported_files,
    importedAssistants: row.imported_assistants,
    importedProjects: row.imported_projects,
    withFiles: row.with_files === 1,
    kept: row.kept,
    error: row.error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    storedKey: row.storage_key,
  };
};

type Changes = {
  state?: Row['state'];
  filename?: string;
  size?: number;
  source?: ImportSource | null;
  counts?: Counts;
  kept?: number;
  error?: string | null;
  finishedAt?: string;
  /** Forgets the bytes, which the caller removes. */
  storedKey?: null;
};

/** States in which an import uses the server. */
const active = ['uploading', 'reading', 'ready', 'importing', 'undoing'] as const;

export function importRepository(db: Kysely<Database>) {
  const own = (userId: number) => db.selectFrom('imports').selectAll().where('user_id', '=', userId);
  return {
    async insert(
      userId: number,
      upload: { storedKey: string; instance: number; withFiles: boolean; at: string },
    ): Promise<number> {
      const { id } = await db
        .insertInto('imports')
        .values({
          user_id: userId,
          filename: '',
          size: 0,
          storage_key: upload.storedKey,
          instance: upload.instance,
          source: null,
          state: 'uploading',
          with_files: upload.withFiles ? 1 : 0,
          counts: JSON.stringify(noCounts),
          error: null,
          created_at: upload.at,
          finished_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async countActive(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('imports')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('state', 'in', active)
        .executeTakeFirstOrThrow();
      return count;
    },
    async find(userId: number, id: number): Promise<ImportRecord | undefined> {
      const row = await own(userId).where('id', '=', id).executeTakeFirst();
      return row && toRecord(row);
    },
    /** Like `find`, and makes other transactions that decide about this import wait. */
    async lock(userId: number, id: number): Promise<ImportRecord | undefined> {
      const query = own(userId).where('id', '=', id);
      const row = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst();
      return row && toRecord(row);
    },
    /** The newest first. */
    async page(userId: number, before: number | undefined, limit: number): Promise<ImportRecord[]> {
      let query = own(userId).where('state', '!=', 'uploading').orderBy('id', 'desc').limit(limit);
      if (before !== undefined) query = query.where('id', '<', before);
      return (await query.execute()).map(toRecord);
    },
    async update(userId: number, id: number, changes: Changes) {
      const { state, filename, size, source, counts, kept, error, finishedAt, storedKey } = changes;
      await db
        .updateTable('imports')
        .set({
          user_id: userId,
          ...(state && { state }),
          ...(filename !== undefined && { filename }),
          ...(size !== undefined && { size }),
          ...(source !== undefined && { source }),
          ...(counts && { counts: JSON.stringify(counts) }),
          ...(kept !== undefined && { kept }),
          ...(error !== undefined && { error }),
          ...(finishedAt !== undefined && { finished_at: finishedAt }),
          ...(storedKey === null && { storage_key: null }),
        })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    async addProgress(userId: number, id: number, by: Progress) {
      await db
        .updateTable('imports')
        .set((eb) => ({
          processed: eb('processed', '+', by.processed),
          imported_threads: eb('imported_threads', '+', by.threads),
          imported_messages: eb('imported_messages', '+', by.messages),
          imported_files: eb('imported_files', '+', by.files),
          imported_assistants: eb('imported_assistants', '+', by.assistants),
          imported_projects: eb('imported_projects', '+', by.projects),
        }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    /** Counts what turned out not to be importable. */
    async addLeftOut(userId: number, id: number, more: LeftOut) {
      const row = await own(userId).where('id', '=', id).executeTakeFirst();
      if (!row) return;
      const counts: Counts = { ...noCounts, ...JSON.parse(row.counts) };
      const leftOut = { ...counts.leftOut };
      for (const [reason, count] of Object.entries(more) as [LeftOutReason, number][]) addTo(leftOut, reason, count);
      await this.update(userId, id, { counts: { ...counts, leftOut } });
    },
    async delete(userId: number, id: number) {
      await db.deleteFrom('imports').where('user_id', '=', userId).where('id', '=', id).execute();
    },
    /** Uploads in progress of all users, as far as this process knows. */
    uploads: () =>
      db
        .selectFrom('imports')
        .select(['id', 'user_id as userId', 'storage_key as storedKey', 'instance'])
        .where('state', '=', 'uploading')
        .execute(),
    /** Imports that wait to be started since before this time. */
    waiting: (before: string, limit: number) =>
      db
        .selectFrom('imports')
        .select(['id', 'user_id as userId'])
        .where('state', '=', 'ready')
        .where('created_at', '<', before)
        .limit(limit)
        .execute(),
    async storedKeys(userId: number): Promise<string[]> {
      const rows = await own(userId).where(sql<boolean>`storage_key is not null`).execute();
      return rows.flatMap(({ storage_key }) => (storage_key === null ? [] : [storage_key]));
    },
  };
}
