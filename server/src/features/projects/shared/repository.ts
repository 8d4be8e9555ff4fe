import type { Project, ProjectDraft, ProjectThread } from '@roster/contracts/projects/projects';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

type ProjectPosition = { updatedAt: string; id: number };
type StoredProject = ProjectDraft & { archivedAt: string | null };

export function projectRepository(db: Kysely<Database>) {
  const own = (userId: number) =>
    db
      .selectFrom('projects')
      .select(['id', 'name', 'icon', 'color', 'instructions', 'assistant_id as assistantId', 'model'])
      .select(
        // A number on both engines: PostgreSQL counts in bigint, which arrives as text.
        sql<number>`cast((select count(*) from threads where threads.project_id = projects.id
          and threads.purpose = 'chat') as integer)`.as('conversations'),
      )
      .select(
        sql<number>`cast((select count(*) from project_files where project_files.project_id = projects.id) as integer)`.as(
          'files',
        ),
      )
      .select(['archived_at as archivedAt', 'created_at as createdAt', 'updated_at as updatedAt'])
      .where('user_id', '=', userId);
  const columns = ({ name, icon, color, instructions, assistantId, model, archivedAt }: StoredProject) => ({
    name,
    icon,
    color,
    instructions,
    assistant_id: assistantId,
    model,
    archived_at: archivedAt,
  });

  return {
    /** A user has at most 200. */
    list: (userId: number): Promise<Project[]> => own(userId).orderBy(sql`lower(name)`).orderBy('id').execute(),
    find: (userId: number, id: number): Promise<Project | undefined> =>
      own(userId).where('id', '=', id).executeTakeFirst(),
    async count(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('projects')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async insert(userId: number, draft: ProjectDraft, at: string): Promise<number> {
      const { id } = await db
        .insertInto('projects')
        .values({ user_id: userId, ...columns({ ...draft, archivedAt: null }), created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async update(userId: number, id: number, project: StoredProject, at: string) {
      await db
        .updateTable('projects')
        .set({ ...columns(project), updated_at: at })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('projects')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Returns the ids of the threads that were moved. */
    async move(userId: number, ids: readonly number[], projectId: number | null): Promise<number[]> {
      const moved = await db
        .updateTable('threads')
        .set({ project_id: projectId })
        .where('user_id', '=', userId)
        .where('purpose', '=', 'chat')
        .where('id', 'in', ids)
        .returning('id')
        .execute();
      return moved.map(({ id }) => id);
    },
    /** Reads one row more than `limit` to know whether there is another page. */
    async threads(userId: number, projectId: number, limit: number, after?: ProjectPosition): Promise<ProjectThread[]> {
      let query = db
        .selectFrom('threads')
        .select(['id', 'title', 'archived', 'updated_at as updatedAt'])
        // The plus keeps SQLite from sorting all threads of the user.
        .where(sql<boolean>`+user_id = ${userId}`)
        .where('project_id', '=', projectId)
        .where('purpose', '=', 'chat')
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (after) query = query.where(sql<boolean>`(updated_at, id) < (${after.updatedAt}, ${after.id})`);
      return (await query.execute()).map((row) => ({ ...row, archived: row.archived === 1 }));
    },
  };
}

export type ProjectRepository = ReturnType<typeof projectRepository>;
