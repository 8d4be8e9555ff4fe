import { Id } from '@roster/contracts/endpoint';
import {
  type projects as api,
  type Project,
  type ProjectDraft,
  projectsPerUser,
} from '@roster/contracts/projects/projects';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { createCursors, toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { ProjectFileService } from './files/service.ts';
import { projectNotFound } from './shared/not-found.ts';
import { type ProjectRepository, projectRepository } from './shared/repository.ts';

export type ProjectDependencies = {
  db: Kysely<Database>;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
  /** @throws AppError, naming the field, for models that are known to be unusable */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
  /** Stops the threads' runs and moves them to the trash. */
  moveToTrash: (userId: number, ids: number[]) => Promise<unknown>;
  files: Pick<ProjectFileService, 'release'>;
};

type Default = Pick<Change, 'assistantId' | 'model'>;
type Change = z.output<typeof api.update.body>;
type ThreadQuery = z.output<typeof api.threads.query>;
type RemoveQuery = z.output<typeof api.remove.query>;

const movedAtOnce = 100;
const cursors = createCursors(z.tuple([z.iso.datetime(), Id]));

async function findProject(rows: ProjectRepository, userId: number, id: number): Promise<Project> {
  const project = await rows.find(userId, id);
  if (!project) throw projectNotFound();
  return project;
}

async function checkDefault({ ownsAssistant, checkModels }: ProjectDependencies, userId: number, wanted: Default) {
  const { assistantId, model } = wanted;
  if (typeof assistantId === 'number' && typeof model === 'string')
    throw new AppError('invalid_input', 'Choose an assistant or a model, not both.');
  if (typeof model === 'string') await checkModels(userId, [model], 'model');
  if (typeof assistantId === 'number' && !(await ownsAssistant(userId, assistantId)))
    throw new AppError('not_found', 'This assistant does not exist.', {
      fields: { assistantId: 'This assistant does not exist.' },
    });
}

function withChange(before: Project, { name, icon, color, instructions, assistantId, model }: Change) {
  return {
    name: name ?? before.name,
    icon: icon ?? before.icon,
    color: color ?? before.color,
    instructions: instructions ?? before.instructions,
    ...changedDefault(before, { assistantId, model }),
  };
}

/** An assistant and a model replace each other. */
function changedDefault(before: Project, { assistantId, model }: Default) {
  if (typeof assistantId === 'number') return { assistantId, model: null };
  if (typeof model === 'string') return { assistantId: null, model };
  return {
    assistantId: assistantId === undefined ? before.assistantId : null,
    model: model === undefined ? before.model : null,
  };
}

async function create(db: Kysely<Database>, { userId, recheckAccess }: Actor, draft: ProjectDraft): Promise<Project> {
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const rows = projectRepository(trx);
    if ((await rows.count(userId)) >= projectsPerUser)
      throw new AppError('conflict', `You can have ${projectsPerUser} projects. Delete one first.`);
    return findProject(rows, userId, await rows.insert(userId, draft, new Date().toISOString()));
  });
}

async function update(
  db: Kysely<Database>,
  { userId, recheckAccess }: Actor,
  id: number,
  change: Change,
): Promise<Project> {
  const { archived } = change;
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    const rows = projectRepository(trx);
    const before = await findProject(rows, userId, id);
    const at = new Date().toISOString();
    const kept = archived === undefined ? before.archivedAt : null;
    const archivedAt = archived ? (before.archivedAt ?? at) : kept;
    await rows.update(userId, id, { ...withChange(before, change), archivedAt }, at);
    return findProject(rows, userId, id);
  });
}

async function threadsOf(rows: ProjectRepository, userId: number, id: number, { limit, cursor }: ThreadQuery) {
  await findProject(rows, userId, id);
  const [updatedAt, threadId] = cursor === undefined ? [] : cursors.decode(cursor);
  const after = updatedAt === undefined || threadId === undefined ? undefined : { updatedAt, id: threadId };
  return toPage(await rows.threads(userId, id, limit, after), limit, (last) =>
    cursors.encode([last.updatedAt, last.id]),
  );
}

async function move(db: Kysely<Database>, userId: number, { ids, projectId }: z.output<typeof api.move.body>) {
  const wanted = [...new Set(ids)];
  const changed = await db.transaction().execute(async (trx) => {
    // So that two calls which name the same threads do not deadlock, and the project is not deleted meanwhile.
    await lockUserRow(trx, userId);
    const rows = projectRepository(trx);
    if (projectId !== null) await findProject(rows, userId, projectId);
    return new Set(await rows.move(userId, wanted, projectId));
  });
  return { changed: wanted.filter((id) => changed.has(id)), missing: wanted.filter((id) => !changed.has(id)) };
}

async function remove(dependencies: ProjectDependencies, userId: number, id: number, { conversations }: RemoveQuery) {
  const { db, moveToTrash, files } = dependencies;
  const rows = projectRepository(db);
  await findProject(rows, userId, id);
  // Threads in the trash are no longer listed, so each round reads the next ones.
  while (conversations === 'trash') {
    const next = await rows.threads(userId, id, movedAtOnce - 1);
    if (next.length === 0) break;
    await moveToTrash(
      userId,
      next.map((thread) => thread.id),
    );
  }
  await db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    await files.release(trx, userId, id);
    if (!(await projectRepository(trx).delete(userId, id))) throw projectNotFound();
  });
}

/** A user's projects and the conversations in them. */
export function projectService(dependencies: ProjectDependencies) {
  const { db } = dependencies;
  const rows = projectRepository(db);
  return {
    list: async (userId: number) => ({ items: await rows.list(userId) }),
    find: (userId: number, id: number) => findProject(rows, userId, id),
    async create(actor: Actor, draft: ProjectDraft) {
      await checkDefault(dependencies, actor.userId, draft);
      return create(db, actor, draft);
    },
    async update(actor: Actor, id: number, change: Change) {
      await checkDefault(dependencies, actor.userId, change);
      return update(db, actor, id, change);
    },
    remove: (userId: number, id: number, query: RemoveQuery) => remove(dependencies, userId, id, query),
    threads: (userId: number, id: number, query: ThreadQuery) => threadsOf(rows, userId, id, query),
    move: (userId: number, body: z.output<typeof api.move.body>) => move(db, userId, body),
  };
}
