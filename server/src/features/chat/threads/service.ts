import type { chat, Thread } from '@roster/contracts/chat';
import { Id } from '@roster/contracts/endpoint';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { ThreadSearch } from '#server/features/chat/search/service';
import { snippetOf } from '#server/features/chat/search/snippet';
import type { FoundThread } from '#server/features/chat/search/threads-repository';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { noThread } from '#server/features/chat/shared/not-found';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { toThread } from '#server/features/chat/shared/thread';
import { type ThreadRecord, threadRepository } from '#server/features/chat/shared/thread-repository';
import { newTitle } from '#server/features/chat/shared/thread-title';
import { type TemporaryThreadService, temporaryUntil } from '#server/features/chat/temporary-threads/service';
import type { TrashService } from '#server/features/chat/trash/service';
import type { ProjectRepository } from '#server/features/projects/shared/repository';
import { createCursors, toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  trash: Pick<TrashService, 'put'>;
  temporary: Pick<TemporaryThreadService, 'remove'>;
  search: ThreadSearch;
  projects: Pick<ProjectRepository, 'find'>;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
  /** @throws AppError, naming the field, for models that are known to be unusable. Does not call the provider. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
};

type Draft = z.output<typeof chat.createThread.body>;
type Changes = z.output<typeof chat.updateThread.body>;
type Query = z.output<typeof chat.threads.query>;
type Page = z.output<typeof chat.threads.output>;

const cursors = createCursors(z.tuple([z.boolean(), z.iso.datetime(), Id]));

function positionOf(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [pinned, updatedAt, id] = cursors.decode(cursor);
  return { pinned, updatedAt, id };
}

export function threadService(dependencies: Dependencies) {
  const { db } = dependencies.database;
  return {
    find: (userId: number, threadId: number) => find(db, userId, threadId),
    record: (userId: number, threadId: number) => record(db, userId, threadId),
    list: (userId: number, query: Query) => list(dependencies, userId, query),
    async create(userId: number, given: Draft): Promise<Thread> {
      const draft = await withProjectDefault(dependencies, userId, given);
      await checkChatTarget(dependencies, userId, draft);
      return db.transaction().execute((trx) => insertThread(trx, userId, draft));
    },
    async update(userId: number, threadId: number, changes: Changes): Promise<Thread> {
      await checkChatTarget(dependencies, userId, changes);
      const found = await db.transaction().execute((trx) => changeThread(trx, userId, threadId, changes));
      if (!found) throw noThread();
      return find(db, userId, threadId);
    },
    remove: (userId: number, threadId: number) => remove(dependencies, userId, threadId),
  };
}

export type ThreadService = ReturnType<typeof threadService>;

/** In a project, its assistant or model answers if the draft names neither. */
async function withProjectDefault({ projects }: Dependencies, userId: number, draft: Draft): Promise<Draft> {
  if (draft.projectId === undefined) return draft;
  const project = await projects.find(userId, draft.projectId);
  if (!project)
    throw new AppError('not_found', 'This project does not exist.', {
      fields: { projectId: 'This project does not exist.' },
    });
  if (draft.assistantId !== undefined || draft.model !== undefined) return draft;
  return { ...draft, assistantId: project.assistantId, model: project.model };
}

async function checkChatTarget(
  { checkModels, ownsAssistant }: Dependencies,
  userId: number,
  { assistantId, model }: Pick<Changes, 'assistantId' | 'model'>,
) {
  if (typeof model === 'string') await checkModels(userId, [model], 'model');
  if (typeof assistantId === 'number' && !(await ownsAssistant(userId, assistantId)))
    throw new AppError('not_found', 'This assistant does not exist.', {
      fields: { assistantId: 'This assistant does not exist.' },
    });
}

async function record(db: Kysely<Database>, userId: number, threadId: number): Promise<ThreadRecord> {
  const thread = await threadRepository(db).find(userId, threadId);
  if (!thread) throw noThread();
  return thread;
}

const find = async (db: Kysely<Database>, userId: number, threadId: number): Promise<Thread> =>
  toThread(await record(db, userId, threadId));

async function list(dependencies: Dependencies, userId: number, query: Query): Promise<Page> {
  const q = query.q?.trim() ?? '';
  const found = await foundOrListed(dependencies, userId, q, query);
  const { items, nextCursor } = toPage(found, query.limit, ({ thread: { pinned, updatedAt, id } }) =>
    cursors.encode([pinned, updatedAt, id]),
  );
  return {
    items: items.map(({ thread, match }) => ({
      ...toThread(thread),
      match: match && { messageId: match.messageId, snippet: snippetOf(match.text, q) },
    })),
    nextCursor,
  };
}

async function foundOrListed(
  { database, search }: Dependencies,
  userId: number,
  q: string,
  {
    limit,
    archived,
    programs,
    cursor,
    assistant: assistantId,
    model,
    from,
    to,
    files,
    rating,
    project: projectId,
  }: Query,
): Promise<FoundThread[]> {
  const after = positionOf(cursor);
  const filters = { assistantId, model, from, to, files, rating, projectId };
  if (q !== '') return search(userId, q, { archived, programs, limit, after, filters });
  const threads = threadRepository(database.db);
  const listed = await threads.list(userId, {
    archived: archived ?? false,
    // The archive includes threads of API clients.
    programs: programs ?? (archived ? undefined : false),
    limit,
    after,
    filters,
  });
  return listed.map((thread) => ({ thread, match: null }));
}

/** Moves a thread to the trash; deletes a temporary one. */
async function remove({ database: { db }, trash, temporary }: Dependencies, userId: number, threadId: number) {
  const openedAs = await threadRepository(db).openedAs(userId, threadId);
  if (openedAs === undefined) throw noThread();
  await (openedAs === 'temporary' ? temporary.remove(userId, threadId) : trash.put(userId, threadId));
}

async function insertThread(trx: Kysely<Database>, userId: number, draft: Draft): Promise<Thread> {
  const at = new Date().toISOString();
  const created = await threadRepository(trx).insert(userId, {
    title: draft.title ?? newTitle,
    titleSource: draft.title === undefined ? 'opening' : 'chosen',
    assistantId: draft.assistantId ?? null,
    model: draft.model ?? null,
    ...(draft.tools && { tools: draft.tools }),
    ...(draft.projectId && { projectId: draft.projectId }),
    at,
    expiresAt: draft.temporary ? temporaryUntil(at) : null,
  });
  await searchRepository(trx).putTitle(userId, created.id, created.title);
  return toThread(created);
}

/** false: the user has no such thread. */
async function changeThread(trx: Kysely<Database>, userId: number, threadId: number, changes: Changes) {
  const { shownMessageId, ...plain } = changes;
  const shown = shownMessageId === undefined ? undefined : await shownPlace(trx, userId, threadId, shownMessageId);
  const found = await threadRepository(trx).update(userId, threadId, {
    ...plain,
    // An assistant and a model replace each other.
    ...(typeof changes.assistantId === 'number' && { model: null }),
    ...(typeof changes.model === 'string' && { assistantId: null }),
    headMessageId: shown && (await branchRepository(trx).newestEnd(shown.id)),
    ...(changes.title !== undefined && { titleSource: 'chosen' }),
  });
  // After the update has locked the thread's row, so that concurrent choices are serialized.
  if (found && shown) await branchRepository(trx).choose(userId, shown);
  if (found && changes.title !== undefined) await searchRepository(trx).putTitle(userId, threadId, changes.title);
  return found;
}

async function shownPlace(trx: Kysely<Database>, userId: number, threadId: number, messageId: number) {
  const place = await messageRepository(trx).place(userId, messageId);
  if (place?.threadId !== threadId)
    throw new AppError('not_found', 'This message does not exist.', {
      fields: { shownMessageId: 'This message does not exist.' },
    });
  return place;
}
