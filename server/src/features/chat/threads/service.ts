import type { Thread, ThreadListItem } from '@roster/contracts/chat';
import { Id } from '@roster/contracts/endpoint';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { OpenDatabase } from '../../../db/connect.ts';
import { holdRuns } from '../../../db/locks.ts';
import type { Database } from '../../../db/schema.ts';
import { AppError } from '../../../errors.ts';
import { messageRepository } from '../messages/repository.ts';
import type { RunExecutor } from '../runs/executor.ts';
import type { AnswersUnderWay } from '../runs/partial-answers.ts';
import { runRepository } from '../runs/repository.ts';
import { hasWords, searchRepository, snippetOf } from '../search/repository.ts';
import { type ThreadPosition, type ThreadRecord, threadRepository } from './repository.ts';

type Dependencies = {
  database: OpenDatabase;
  executor: RunExecutor;
  underWay: Pick<AnswersUnderWay, 'logOf'>;
  /** Whether the assistant is theirs. */
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
  /** Refuses models that are known not to be usable, naming the field. Nobody outside is asked. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
};

/** What answers in a thread: at most one of the two. */
type AnswererChoice = { assistantId?: number | null | undefined; model?: string | null | undefined };

const newTitle = 'New conversation';
export const noThread = () => new AppError('not_found', 'This conversation does not exist.');

const Position = z.tuple([z.boolean(), z.iso.datetime(), Id]);
const encodeCursor = ({ pinned, updatedAt, id }: ThreadRecord) =>
  Buffer.from(JSON.stringify([pinned, updatedAt, id])).toString('base64url');

function decodeCursor(cursor: string | undefined): ThreadPosition | undefined {
  if (cursor === undefined) return undefined;
  const notOurs = (cause?: unknown) =>
    new AppError('invalid_input', 'The cursor is not one that this list gave.', { cause });
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch (cause) {
    throw notOurs(cause);
  }
  const position = Position.safeParse(read);
  if (!position.success) throw notOurs(position.error);
  const [pinned, updatedAt, id] = position.data;
  return { pinned, updatedAt, id };
}

export function toThread(record: ThreadRecord): Thread {
  const { id, title, assistantId, model, pinned, archived, createdAt, updatedAt, runId } = record;
  return { id, title, assistantId, model, pinned, archived, createdAt, updatedAt, runId };
}

/** Pinned ones first, then the newest. */
const inOrderOfList = (a: ThreadRecord, b: ThreadRecord) =>
  Number(b.pinned) - Number(a.pinned) || compare(b.updatedAt, a.updatedAt) || b.id - a.id;
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export function threadService({ database, executor, underWay, ownsAssistant, checkModels }: Dependencies) {
  const { db } = database;
  const threads = threadRepository(db);
  const slowThreads = threadRepository(database.reader);

  async function checkAnswerer(userId: number, { assistantId, model }: AnswererChoice) {
    if (typeof model === 'string') await checkModels(userId, [model], 'model');
    if (typeof assistantId === 'number' && !(await ownsAssistant(userId, assistantId)))
      throw new AppError('not_found', 'This assistant does not exist.', {
        fields: { assistantId: 'This assistant does not exist.' },
      });
  }

  type Found = { thread: ThreadRecord; match: { messageId: number; text: string } | null };

  /** Answers that are being written are in no index yet; there are few of them, and they are looked through. */
  async function beingWritten(userId: number, q: string, archived: boolean | undefined): Promise<Found[]> {
    const found: Found[] = [];
    for (const { id, threadId, messageId } of await runRepository(db).underWay(userId)) {
      const text = (await underWay.logOf(id))?.text ?? '';
      const thread = hasWords(text, q) ? await threads.find(userId, threadId) : undefined;
      if (thread && (archived === undefined || thread.archived === archived))
        found.push({ thread, match: { messageId, text } });
    }
    return found;
  }

  async function search(userId: number, q: string, options: Parameters<typeof slowThreads.search>[2]) {
    const found: Found[] = await slowThreads.search(userId, q, options);
    if (options.after) return found;
    const known = new Set(found.map(({ thread }) => thread.id));
    for (const one of await beingWritten(userId, q, options.archived)) {
      if (known.has(one.thread.id)) continue;
      known.add(one.thread.id);
      found.push(one);
    }
    return found.sort((a, b) => inOrderOfList(a.thread, b.thread));
  }

  return {
    async list(
      userId: number,
      query: { limit: number; cursor?: string | undefined; q?: string | undefined; archived?: boolean | undefined },
    ): Promise<{ items: ThreadListItem[]; nextCursor: string | null }> {
      const { limit, archived } = query;
      const after = decodeCursor(query.cursor);
      const q = query.q?.trim();
      const found = q
        ? await search(userId, q, { archived, limit, after })
        : (await threads.list(userId, { archived: archived ?? false, limit, after })).map((thread) => ({
            thread,
            match: null,
          }));
      const items = found.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.map(({ thread, match }) => ({
          ...toThread(thread),
          match: match && { messageId: match.messageId, snippet: snippetOf(match.text, q ?? '') },
        })),
        nextCursor: found.length > limit && last ? encodeCursor(last.thread) : null,
      };
    },
    async create(userId: number, input: AnswererChoice & { title?: string | undefined }) {
      await checkAnswerer(userId, input);
      const thread = await db.transaction().execute(async (trx) => {
        const created = await threadRepository(trx).insert(userId, {
          title: input.title ?? newTitle,
          titleSource: input.title === undefined ? 'opening' : 'chosen',
          assistantId: input.assistantId ?? null,
          model: input.model ?? null,
          at: new Date().toISOString(),
        });
        await searchRepository(trx).putTitle(userId, created.id, created.title);
        return created;
      });
      return toThread(thread);
    },
    async find(userId: number, threadId: number): Promise<Thread> {
      const thread = await threads.find(userId, threadId);
      if (!thread) throw noThread();
      return toThread(thread);
    },
    async update(
      userId: number,
      threadId: number,
      changes: AnswererChoice & {
        title?: string | undefined;
        pinned?: boolean | undefined;
        archived?: boolean | undefined;
        shownMessageId?: number | undefined;
      },
    ): Promise<Thread> {
      await checkAnswerer(userId, changes);
      const { shownMessageId, ...plain } = changes;
      await db.transaction().execute(async (trx) => {
        const headMessageId =
          shownMessageId === undefined ? undefined : await endOfBranch(trx, userId, threadId, shownMessageId);
        const found = await threadRepository(trx).update(userId, threadId, {
          ...plain,
          // Each takes the place of the other.
          ...(typeof changes.assistantId === 'number' && { model: null }),
          ...(typeof changes.model === 'string' && { assistantId: null }),
          headMessageId,
          ...(changes.title !== undefined && { titleSource: 'chosen' }),
        });
        if (!found) throw noThread();
        if (changes.title !== undefined) await searchRepository(trx).putTitle(userId, threadId, changes.title);
      });
      return this.find(userId, threadId);
    },
    /** Deletes a conversation with all branches; an answer that is being written is stopped first. */
    async remove(userId: number, threadId: number) {
      if (!(await threads.isConversation(userId, threadId))) throw noThread();
      for (const run of await runRepository(db).underWay(userId))
        if (run.threadId === threadId) await executor.stop(userId, run.id);
      const removed = await db.transaction().execute(async (trx) => {
        await holdRuns(trx, userId, threadId);
        await searchRepository(trx).forgetThread(userId, threadId);
        return threadRepository(trx).delete(userId, threadId);
      });
      if (!removed) throw noThread();
    },
  };

  async function endOfBranch(trx: Kysely<Database>, userId: number, threadId: number, messageId: number) {
    const messages = messageRepository(trx);
    const place = await messages.place(userId, messageId);
    if (place?.threadId !== threadId)
      throw new AppError('not_found', 'This message does not exist.', {
        fields: { shownMessageId: 'This message does not exist.' },
      });
    return messages.newestEnd(messageId);
  }
}

export type ThreadService = ReturnType<typeof threadService>;
