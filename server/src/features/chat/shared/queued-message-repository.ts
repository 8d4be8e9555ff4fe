import type { HeldReason, QueuedMessage } from '@roster/contracts/message-queue';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { noSuchFile } from './attachments.ts';
import type { Attachment } from './message-file-repository.ts';
import type { IdempotencyKey } from './message-repository.ts';
import { inProgress } from './run-repository.ts';

const StoredFiles = z.array(
  z.object({
    fileId: z.number(),
    filename: z.string(),
    size: z.number(),
    kind: z.enum(['image', 'document', 'text']),
    mediaType: z.string(),
  }),
);
const Models = z.array(z.string());

/** A message in line, with what is needed to send it. */
export type StoredQueuedMessage = {
  message: QueuedMessage;
  files: Attachment[];
  overBudget: boolean;
  key: IdempotencyKey;
};

type NewQueuedMessage = {
  threadId: number;
  text: string;
  files: readonly Attachment[];
  models: readonly string[];
  overBudget: boolean;
  key: IdempotencyKey;
  at: string;
};

type Row = {
  id: number;
  threadId: number;
  text: string;
  files: string;
  models: string;
  overBudget: 0 | 1;
  held: HeldReason | null;
  problem: string | null;
  clientId: string;
  digest: string;
  createdAt: string;
};

function read(row: Row): StoredQueuedMessage {
  const { id, threadId, text, held, problem, createdAt } = row;
  const files = StoredFiles.parse(JSON.parse(row.files));
  const models = Models.parse(JSON.parse(row.models));
  const shown = files.map(({ fileId, filename, size, kind }) => ({ id: fileId, filename, size, kind }));
  return {
    message: { id, threadId, text, files: shown, models, held, problem, createdAt },
    files,
    overBudget: row.overBudget === 1,
    key: { id: row.clientId, digest: row.digest },
  };
}

const select = (db: Kysely<Database>) =>
  db
    .selectFrom('queued_messages as queued')
    .select(['queued.id', 'queued.thread_id as threadId', 'queued.text', 'queued.files', 'queued.models'])
    .select(['queued.over_budget as overBudget', 'queued.held', 'queued.problem'])
    .select(['queued.client_id as clientId', 'queued.client_digest as digest', 'queued.created_at as createdAt']);

/** Conversations that can be opened, of users who may still sign in. */
const canBeSentIn = sql<boolean>`exists (select 1 from threads join users on users.id = threads.user_id
  where threads.id = queued.thread_id and threads.purpose in ('chat', 'temporary') and users.status = 'Active')`;

/** Runs at the end of every answer. */
const findNext = prepared((db, at: Params<{ userId: number; threadId: number }>) =>
  select(db)
    .where('queued.thread_id', '=', at('threadId'))
    .where('queued.user_id', '=', at('userId'))
    .where(canBeSentIn)
    .orderBy('queued.position')
    .limit(1),
);

/** Runs every few seconds. */
const findDue = prepared((db, at: Params<{ limit: number }>) =>
  db
    .selectFrom('queued_messages as queued')
    .select(['queued.user_id as userId', 'queued.thread_id as threadId'])
    .where('queued.held', 'is', null)
    .where(canBeSentIn)
    .where(
      sql<boolean>`not exists (select 1 from queued_messages earlier
        where earlier.thread_id = queued.thread_id and earlier.position < queued.position)`,
    )
    .where(
      sql<boolean>`not exists (select 1 from runs where runs.thread_id = queued.thread_id and runs.state in ${inProgress})`,
    )
    .orderBy('queued.id')
    .limit(at('limit')),
);

/** Messages that wait for the end of an answer. */
export function queuedMessageRepository(db: Kysely<Database>) {
  const own = (userId: number, id: number) =>
    db.updateTable('queued_messages').where('user_id', '=', userId).where('id', '=', id);

  async function find(userId: number, id: number): Promise<StoredQueuedMessage | undefined> {
    const row = await select(db)
      .where('queued.user_id', '=', userId)
      .where('queued.id', '=', id)
      .where(canBeSentIn)
      .executeTakeFirst();
    return row && read(row);
  }

  async function placed(userId: number, threadId: number) {
    const row = await db
      .selectFrom('queued_messages')
      .select((eb) => [eb.fn.countAll<number | string>().as('count'), eb.fn.min('position').as('first')])
      .select((eb) => eb.fn.max('position').as('last'))
      .where('user_id', '=', userId)
      .where('thread_id', '=', threadId)
      .executeTakeFirstOrThrow();
    return { count: Number(row.count), first: row.first ?? 1, last: row.last ?? 0 };
  }

  /** @throws AppError if one of the files was deleted */
  async function insertFileUses(userId: number, id: number, files: readonly Attachment[]) {
    if (files.length === 0) return;
    const ids = files.map(({ fileId }) => fileId);
    const wanted = db
      .selectFrom('files')
      .select('id')
      .where('user_id', '=', userId)
      .where('id', 'in', ids)
      .orderBy('id');
    const found = await (isPostgres(db) ? wanted.forKeyShare() : wanted).execute();
    if (found.length !== ids.length) throw noSuchFile();
    await db
      .insertInto('file_uses')
      .values(
        ids.map((fileId) => ({ file_id: fileId, user_id: userId, used_by: 'queued_message' as const, used_by_id: id })),
      )
      .execute();
  }

  /** Locks the files first, as the deletion of a file does, to avoid deadlocks. */
  async function releaseFiles(userId: number, id: number) {
    const used = db
      .selectFrom('file_uses')
      .select('file_id')
      .where('user_id', '=', userId)
      .where('used_by', '=', 'queued_message')
      .where('used_by_id', '=', id);
    if (isPostgres(db))
      await db.selectFrom('files').select('id').where('id', 'in', used).orderBy('id').forKeyShare().execute();
    await db
      .deleteFrom('file_uses')
      .where('user_id', '=', userId)
      .where('used_by', '=', 'queued_message')
      .where('used_by_id', '=', id)
      .execute();
  }

  return {
    find,
    /** In the order in which they are sent. */
    async ofThread(userId: number, threadId: number): Promise<QueuedMessage[]> {
      const rows = await select(db)
        .where('queued.thread_id', '=', threadId)
        .where('queued.user_id', '=', userId)
        .orderBy('queued.position')
        .execute();
      return rows.map((row) => read(row).message);
    },
    /** The message to send next, even if it is held. */
    async next(userId: number, threadId: number): Promise<StoredQueuedMessage | undefined> {
      const row = await findNext.first(db, { userId, threadId });
      return row && read(row);
    },
    /** Conversations with a message to send and without an active run, of all users. */
    due: (limit: number): Promise<{ userId: number; threadId: number }[]> => findDue.all(db, { limit }),
    async digestOf(userId: number, clientId: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('queued_messages')
        .select('client_digest')
        .where('user_id', '=', userId)
        .where('client_id', '=', clientId)
        .executeTakeFirst();
      return row?.client_digest;
    },
    count: async (userId: number, threadId: number): Promise<number> => (await placed(userId, threadId)).count,
    /** Adds a message at the end. Does nothing if its client id is stored already. Call with the user locked. */
    async insert(userId: number, { threadId, text, files, models, overBudget, key, at }: NewQueuedMessage) {
      const { last } = await placed(userId, threadId);
      const row = await db
        .insertInto('queued_messages')
        .values({
          ...{ user_id: userId, thread_id: threadId, position: last + 1, text, files: JSON.stringify(files) },
          ...{ models: JSON.stringify(models), over_budget: overBudget ? 1 : 0, held: null, problem: null },
          ...{ client_id: key.id, client_digest: key.digest, created_at: at },
        })
        .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doNothing())
        .returning('id')
        .executeTakeFirst();
      if (row) await insertFileUses(userId, row.id, files);
    },
    async setText(userId: number, id: number, text: string) {
      await own(userId, id).set({ text }).execute();
    },
    async setFiles(userId: number, id: number, files: readonly Attachment[]) {
      await releaseFiles(userId, id);
      await own(userId, id)
        .set({ files: JSON.stringify(files) })
        .execute();
      await insertFileUses(userId, id, files);
    },
    /** A message that is held for another reason stays held. */
    async setEditing(userId: number, id: number, editing: boolean) {
      const change = own(userId, id).set({ held: editing ? 'editing' : null });
      await (editing ? change.where('held', 'is', null) : change.where('held', '=', 'editing')).execute();
    },
    async remove(userId: number, id: number): Promise<boolean> {
      await releaseFiles(userId, id);
      const { numDeletedRows } = await db
        .deleteFrom('queued_messages')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /**
     * Takes a message out of line in the transaction that sends it. false: another process has taken it, or it has been
     * changed or held since it was read.
     */
    async take(userId: number, { message: { id, text }, files }: StoredQueuedMessage): Promise<boolean> {
      await releaseFiles(userId, id);
      const { numDeletedRows } = await db
        .deleteFrom('queued_messages')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('held', 'is', null)
        .where('text', '=', text)
        .where('files', '=', JSON.stringify(files))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Keeps the messages of these threads from being sent by themselves, unless one of them is to be sent now. */
    async hold(userId: number, threadIds: readonly number[], reason: HeldReason) {
      if (threadIds.length === 0) return;
      await db
        .updateTable('queued_messages')
        .set({ held: reason })
        .where('user_id', '=', userId)
        .where('thread_id', 'in', threadIds)
        .where((eb) => eb.or([eb('held', 'is', null), eb('held', '=', 'editing')]))
        .where(
          sql<boolean>`not exists (select 1 from queued_messages steering
            where steering.thread_id = queued_messages.thread_id and steering.send_now = 1)`,
        )
        .execute();
    },
    /** Holds the messages of a thread because the first of them could not be sent. */
    async refuse(userId: number, { id, threadId }: QueuedMessage, reason: HeldReason, problem: string) {
      await own(userId, id).set({ held: reason, problem, send_now: 0 }).where('held', 'is', null).execute();
      await db
        .updateTable('queued_messages')
        .set({ held: reason, send_now: 0 })
        .where('user_id', '=', userId)
        .where('thread_id', '=', threadId)
        .where('held', 'is', null)
        .execute();
    },
    /** Makes a message the first, and releases all of its thread. */
    async sendFirst(userId: number, { id, threadId }: QueuedMessage, overBudget: boolean) {
      const { first } = await placed(userId, threadId);
      await db
        .updateTable('queued_messages')
        .set({ held: null, problem: null })
        .where('user_id', '=', userId)
        .where('thread_id', '=', threadId)
        .where((eb) => eb.or([eb('id', '=', id), eb('held', 'is', null), eb('held', '!=', 'editing')]))
        .execute();
      await own(userId, id)
        .set({ position: first - 1, send_now: 1, ...(overBudget && { over_budget: 1 as const }) })
        .execute();
    },
    /** The checksums of these files. */
    async checksums(userId: number, fileIds: number[]): Promise<Map<number, string>> {
      if (fileIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('files')
        .select(['id', 'sha256'])
        .where('user_id', '=', userId)
        .where('id', 'in', fileIds)
        .execute();
      return new Map(rows.map(({ id, sha256 }) => [id, sha256]));
    },
    /** A page of all messages in line, by id. */
    async afterId(userId: number, after: number, limit: number): Promise<QueuedMessage[]> {
      const rows = await select(db)
        .innerJoin('threads', 'threads.id', 'queued.thread_id')
        .where('queued.user_id', '=', userId)
        .where('threads.purpose', '=', 'chat')
        .where('queued.id', '>', after)
        .orderBy('queued.id')
        .limit(limit)
        .execute();
      return rows.map((row) => read(row).message);
    },
  };
}
