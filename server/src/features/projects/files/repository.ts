import type { KnowledgeState } from '@roster/contracts/assistants/assistants';
import type { Kysely } from 'kysely';
import { isPostgres } from '#server/db/engine';
import type { Database } from '#server/db/schema';
import type { Change, KnowledgeFile } from '#server/features/assistants/knowledge/repository';

export type StoredProjectFile = Omit<KnowledgeFile, 'assistantId'> & { projectId: number };
type NewFile = { fileId: number; state: KnowledgeState; error: string | null };

/** The files of projects, and the vector store of each. */
export function projectFileRepository(db: Kysely<Database>) {
  const ofProject = (userId: number, projectId: number) =>
    db
      .selectFrom('project_files')
      .innerJoin('files', 'files.id', 'project_files.file_id')
      .where('project_files.user_id', '=', userId)
      .where('project_files.project_id', '=', projectId);
  const uses = (userId: number, projectId: number) =>
    db
      .deleteFrom('file_uses')
      .where('user_id', '=', userId)
      .where('used_by', '=', 'project')
      .where('used_by_id', '=', projectId);
  const projects = (userId: number) =>
    db.selectFrom('project_files').select('project_id as projectId').distinct().where('user_id', '=', userId);

  return {
    /** In the order in which they were added. */
    async of(userId: number, projectId: number): Promise<StoredProjectFile[]> {
      const rows = await ofProject(userId, projectId)
        .leftJoin('provider_copies as copy', (join) =>
          join.onRef('copy.file_id', '=', 'files.id').onRef('copy.purpose', '=', 'files.purpose'),
        )
        .select(['project_files.user_id as userId', 'project_files.project_id as projectId'])
        .select(['files.id as fileId', 'files.filename', 'files.size'])
        .select(['project_files.state', 'project_files.error', 'project_files.indexed_file_id as indexedFileId'])
        .select(['project_files.added_at as addedAt', 'project_files.changed_at as changedAt'])
        .select(['copy.state as copyState', 'copy.error as copyError', 'copy.provider_file_id as providerFileId'])
        .orderBy('project_files.added_at')
        .orderBy('files.id')
        .execute();
      return rows.map(({ copyState, copyError, providerFileId, ...row }) => ({
        ...row,
        copy: copyState === null ? null : { state: copyState, error: copyError, providerFileId },
      }));
    },
    /** The names and checksums of the files of all projects, each in order. */
    async namesOf(userId: number): Promise<Map<number, { filename: string; sha256: string }[]>> {
      const rows = await db
        .selectFrom('project_files')
        .innerJoin('files', 'files.id', 'project_files.file_id')
        .select(['project_files.project_id as projectId', 'files.filename', 'files.sha256'])
        .where('project_files.user_id', '=', userId)
        .orderBy('project_files.added_at')
        .orderBy('files.id')
        .execute();
      const grouped = Map.groupBy(rows, ({ projectId }) => projectId);
      return new Map([...grouped]);
    },
    /** For an answer: each file's state, name and vector store. */
    forAnswer: (userId: number, projectId: number) =>
      ofProject(userId, projectId)
        .innerJoin('projects', 'projects.id', 'project_files.project_id')
        .leftJoin('vector_stores', 'vector_stores.id', 'projects.store_id')
        .select(['files.id as fileId', 'files.filename', 'project_files.state'])
        .select(['project_files.indexed_file_id as indexedFileId', 'vector_stores.provider_store_id as storeId'])
        .execute(),
    async projectsWith(userId: number, fileId: number): Promise<number[]> {
      const rows = await projects(userId).where('file_id', '=', fileId).execute();
      return rows.map(({ projectId }) => projectId);
    },
    async projectsWithFiles(userId: number): Promise<number[]> {
      return (await projects(userId).execute()).map(({ projectId }) => projectId);
    },
    /**
     * Returns the names of those files that exist and are the user's. On PostgreSQL, locks them until the transaction
     * ends so that none is deleted.
     */
    async hold(userId: number, fileIds: number[]): Promise<Map<number, string>> {
      const own = db
        .selectFrom('files')
        .select(['id', 'filename'])
        .where('user_id', '=', userId)
        .where('id', 'in', fileIds)
        .orderBy('id');
      const rows = await (isPostgres(db) ? own.forKeyShare() : own).execute();
      return new Map(rows.map(({ id, filename }) => [id, filename]));
    },
    async insert(userId: number, projectId: number, files: NewFile[]) {
      const at = new Date().toISOString();
      const row = { project_id: projectId, user_id: userId, indexed_file_id: null, added_at: at, changed_at: at };
      await db
        .insertInto('project_files')
        .values(files.map(({ fileId, state, error }) => ({ ...row, file_id: fileId, state, error })))
        .execute();
      const use = { user_id: userId, used_by: 'project' as const, used_by_id: projectId };
      await db
        .insertInto('file_uses')
        .values(files.map(({ fileId }) => ({ ...use, file_id: fileId })))
        .execute();
    },
    async delete(userId: number, projectId: number, fileId: number): Promise<boolean> {
      await uses(userId, projectId).where('file_id', '=', fileId).execute();
      const { numDeletedRows } = await db
        .deleteFrom('project_files')
        .where('user_id', '=', userId)
        .where('project_id', '=', projectId)
        .where('file_id', '=', fileId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Call it before a project is deleted; the database deletes the rows of its files. */
    async forgetUses(userId: number, projectId: number) {
      await uses(userId, projectId).execute();
    },
    /** Only if the row is unchanged since it was read. */
    async change({ userId, projectId, fileId, changedAt }: StoredProjectFile, change: Change) {
      await db
        .updateTable('project_files')
        .set({ state: change.state, error: change.error, indexed_file_id: change.indexedFileId })
        .set({ changed_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('project_id', '=', projectId)
        .where('file_id', '=', fileId)
        .where('changed_at', '=', changedAt)
        .execute();
    },
    /** Resets failed files for a retry: one file, or all files of a user. */
    async restart(userId: number, only?: { projectId: number; fileId: number }) {
      let query = db
        .updateTable('project_files')
        .set({ state: 'waiting', error: null, indexed_file_id: null, changed_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('state', 'in', only ? ['waiting', 'failed', 'not_served'] : ['failed', 'not_served']);
      if (only) query = query.where('project_id', '=', only.projectId).where('file_id', '=', only.fileId);
      await query.execute();
    },
    /** The vector store of a project with the error of filling it; null: it has none. */
    async store(userId: number, projectId: number): Promise<{ id: number; error: string | null } | null> {
      const row = await db
        .selectFrom('projects')
        .innerJoin('vector_stores', 'vector_stores.id', 'projects.store_id')
        .select(['vector_stores.id', 'vector_stores.error'])
        .where('projects.user_id', '=', userId)
        .where('projects.id', '=', projectId)
        .executeTakeFirst();
      return row ?? null;
    },
    async setStore(userId: number, projectId: number, storeId: number | null) {
      await db
        .updateTable('projects')
        .set({ store_id: storeId })
        .where('user_id', '=', userId)
        .where('id', '=', projectId)
        .execute();
    },
  };
}
