import type { Thread } from '@roster/contracts/chat';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { ThreadNotFoundError } from '#server/conversation/errors';
import type { OpenDatabase } from '#server/db/connect';
import { lockRuns } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import { noThread } from '#server/features/chat/shared/not-found';
import { deleteThread, stopRunsOf } from '#server/features/chat/shared/remove-thread';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { toThread } from '#server/features/chat/shared/thread';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { temporaryThreadRepository } from './repository.ts';

/** A temporary conversation is deleted at the latest after these hours. */
const temporaryHours = 24;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  executor: Pick<RunExecutor, 'stop'>;
  files: { remove: (userId: number, fileId: number) => Promise<unknown> };
  log: FastifyBaseLogger;
};

/** A page that is reloaded opens the thread again within this time. */
const leftMs = 2 * 60_000;
const deleteEveryMs = 30_000;
const deletedAtOnce = 50;
const indexedAtOnce = 200;

const after = (time: string | number, ms: number) => new Date(new Date(time).getTime() + ms).toISOString();

/** When a temporary thread is deleted at the latest. */
export const temporaryUntil = (createdAt: string) => after(createdAt, temporaryHours * hourMs);

/** Conversations that are in no list and are deleted when they are closed. */
export function temporaryThreadService(dependencies: Dependencies) {
  const { db } = dependencies.database;

  async function expireAt(userId: number, threadId: number, at: (createdAt: string) => string) {
    if (await temporaryThreadRepository(db).expireAt(userId, threadId, at)) return;
    // One that is kept stays as it is.
    if (!(await threadRepository(db).openedAs(userId, threadId))) throw noThread();
  }

  return {
    async keep(userId: number, threadId: number): Promise<Thread> {
      await db.transaction().execute((trx) => keep(trx, userId, threadId));
      const thread = await threadRepository(db).find(userId, threadId);
      if (!thread) throw noThread();
      return toThread(thread);
    },
    leave: (userId: number, threadId: number) => expireAt(userId, threadId, () => after(Date.now(), leftMs)),
    reopen: (userId: number, threadId: number) => expireAt(userId, threadId, temporaryUntil),
    /** Permanently deletes it with the files that were generated for it. */
    remove: (userId: number, threadId: number) => remove(dependencies, userId, threadId),
    upkeep: [
      { everyMs: deleteEveryMs, atStart: true, run: () => removeExpired(dependencies) },
    ] satisfies ScheduledTask[],
  };
}

export type TemporaryThreadService = ReturnType<typeof temporaryThreadService>;

/** Indexes what it says, which was in no search before. */
async function keep(trx: Kysely<Database>, userId: number, threadId: number) {
  // An answer that ends at this moment is either indexed here, or finds the thread kept.
  await lockRuns(trx, userId, threadId);
  const repository = temporaryThreadRepository(trx);
  const title = await repository.keep(userId, threadId);
  if (title === undefined) return;
  const search = searchRepository(trx);
  await search.putTitle(userId, threadId, title);
  for (let last = 0; ; ) {
    const messages = await repository.messages(userId, threadId, last, indexedAtOnce);
    if (messages.length === 0) return;
    last = messages.at(-1)?.id ?? last;
    const files = await messageFileRepository(trx).of(
      userId,
      messages.map(({ id }) => id),
    );
    const entries = messages.map(({ id, text }) => {
      const names = (files.get(id) ?? []).map(({ filename }) => filename);
      return { id, userId, text: [...names, text].join('\n') };
    });
    await search.putAll(
      'message_search',
      entries.filter(({ text }) => text !== ''),
    );
  }
}

async function remove({ database: { db }, executor, files, log }: Dependencies, userId: number, threadId: number) {
  await stopRunsOf(db, executor, userId, [threadId]);
  const generated = await temporaryThreadRepository(db).generatedFiles(userId, threadId);
  if (!(await deleteThread(db, userId, threadId))) throw noThread();
  for (const fileId of generated)
    await files
      .remove(userId, fileId)
      .catch((err: unknown) => log.warn({ err }, 'a file of a temporary conversation was not deleted'));
}

async function removeExpired(dependencies: Dependencies) {
  const { db } = dependencies.database;
  for (;;) {
    const threads = await temporaryThreadRepository(db).expired(new Date().toISOString(), deletedAtOnce);
    if (threads.length === 0) return;
    for (const { id, userId } of threads)
      await remove(dependencies, userId, id).catch((err: unknown) => {
        // Another process may have deleted it.
        if (!(err instanceof ThreadNotFoundError)) throw err;
      });
  }
}
