import { setImmediate as nextTurn } from 'node:timers/promises';
import { Id } from '@roster/contracts/endpoint';
import { type TrashedThread, type trash, trashDays } from '@roster/contracts/trash';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { noThread } from '#server/features/chat/shared/not-found';
import { queuedMessageRepository } from '#server/features/chat/shared/queued-message-repository';
import { deleteThread, stopRunsOf } from '#server/features/chat/shared/remove-thread';
import { createCursors, toPage } from '#server/http/paging';
import { defineJob, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { trashRepository } from './repository.ts';

type Query = z.output<typeof trash.list.query>;
type Page = z.output<typeof trash.list.output>;
type Change = z.output<typeof trash.change.body>;
type TrashChanges = z.output<typeof trash.change.output>;

const keptMs = trashDays * 24 * hourMs;
const deletedAtOnce = 50;

const emptyTrashJob = defineJob({
  name: 'chat.empty-trash',
  payload: z.object({ userId: z.number() }),
  atOnce: 1,
});

const cursors = createCursors(z.tuple([z.iso.datetime(), Id]));

function positionOf(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [deletedAt, id] = cursors.decode(cursor);
  return { deletedAt, id };
}

const endOf = (deletedAt: string) => new Date(Date.parse(deletedAt) + keptMs).toISOString();

const notInTrash = () => new AppError('not_found', 'This conversation is not in the trash.');

/** Changes of several threads of a user. Each returns the ids of those that were changed. */
function threadChanges(db: Kysely<Database>, executor: Pick<RunExecutor, 'stop'>) {
  /** Locks the user, so that two calls which name the same threads do not deadlock. */
  const changeTogether = (
    userId: number,
    work: (those: ReturnType<typeof trashRepository>, trx: Kysely<Database>) => Promise<number[]>,
  ) =>
    db.transaction().execute(async (trx) => {
      await lockUserRow(trx, userId);
      return work(trashRepository(trx), trx);
    });

  /** Stops runs before and after: once in the trash, no new one can start. */
  async function moveToTrash(userId: number, ids: readonly number[]): Promise<number[]> {
    await stopRunsOf(db, executor, userId, ids);
    const at = new Date().toISOString();
    const moved = await changeTogether(userId, async (those, trx) => {
      const put = await those.putIn(userId, ids, at);
      // Messages in line must not be sent by themselves after the thread is restored.
      await queuedMessageRepository(trx).hold(userId, put, 'stopped');
      return put;
    });
    await stopRunsOf(db, executor, userId, moved);
    return moved;
  }

  return {
    archive: (userId, ids) => changeTogether(userId, (those) => those.archive(userId, ids, true)),
    unarchive: (userId, ids) => changeTogether(userId, (those) => those.archive(userId, ids, false)),
    restore: (userId, ids) => changeTogether(userId, (those) => those.restore(userId, ids)),
    delete: moveToTrash,
  } satisfies Record<Change['action'], (userId: number, ids: readonly number[]) => Promise<number[]>>;
}

/** Deleted conversations: they can be restored for 30 days, then they are permanently deleted. */
export function trashService(db: Kysely<Database>, executor: Pick<RunExecutor, 'stop'>) {
  const inTrash = trashRepository(db);
  const changes = threadChanges(db, executor);
  return {
    async list(userId: number, { limit, cursor }: Query): Promise<Page> {
      const found = await inTrash.page(userId, limit, positionOf(cursor));
      const page = toPage(found, limit, ({ deletedAt, id }) => cursors.encode([deletedAt, id]));
      return {
        items: page.items.map((thread) => ({ ...thread, endsAt: endOf(thread.deletedAt) })),
        count: await inTrash.count(userId),
        nextCursor: page.nextCursor,
      };
    },
    async find(userId: number, threadId: number): Promise<TrashedThread> {
      const thread = await inTrash.find(userId, threadId);
      if (!thread) throw notInTrash();
      return { ...thread, endsAt: endOf(thread.deletedAt) };
    },
    async put(userId: number, threadId: number) {
      const [moved] = await changes.delete(userId, [threadId]);
      if (moved === undefined) throw noThread();
    },
    async restore(userId: number, threadId: number) {
      const [restored] = await changes.restore(userId, [threadId]);
      if (restored === undefined) throw notInTrash();
    },
    async remove(userId: number, threadId: number) {
      // First, so that a concurrent call cannot restore what is being deleted.
      if (!(await inTrash.discard(userId, threadId))) throw notInTrash();
      await deleteThread(db, userId, threadId);
    },
    /** Empty at once for its owner; a background job deletes the rows. */
    empty: (userId: number) =>
      db.transaction().execute(async (trx) => {
        const deleted = await trashRepository(trx).discardAll(userId);
        if (deleted > 0) await enqueue(trx, emptyTrashJob, { userId });
        return { deleted };
      }),
    async change(userId: number, { ids, action }: Change): Promise<TrashChanges> {
      const wanted = [...new Set(ids)];
      const changed = new Set(await changes[action](userId, wanted));
      return {
        changed: wanted.filter((id) => changed.has(id)),
        missing: wanted.filter((id) => !changed.has(id)),
      };
    },
    jobs: [jobHandler(emptyTrashJob, ({ userId }) => deleteDiscarded(db, userId))],
    upkeep: [{ everyMs: hourMs, atStart: true, run: () => deleteExpired(db) }] satisfies ScheduledTask[],
  };
}

export type TrashService = ReturnType<typeof trashService>;

async function deleteExpired(db: Kysely<Database>) {
  await trashRepository(db).discardOlder(new Date(Date.now() - keptMs).toISOString());
  await deleteDiscarded(db);
}

/** Each in a transaction of its own: conversations may be long. */
async function deleteDiscarded(db: Kysely<Database>, userId?: number) {
  for (;;) {
    const threads = await trashRepository(db).discarded(userId, deletedAtOnce);
    if (threads.length === 0) return;
    for (const { id, userId: owner } of threads) {
      await deleteThread(db, owner, id);
      // SQLite blocks the event loop: let streams be served between steps.
      await nextTurn();
    }
  }
}
