import type { Message } from '@roster/contracts/chat';
import { Id } from '@roster/contracts/endpoint';
import { z } from 'zod';
import type { PartialAnswers } from '#server/features/chat/runs/events/partial-answers';
import type { BranchRepository } from '#server/features/chat/shared/branch-repository';
import type { MessageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import type { ThreadRepository } from '#server/features/chat/shared/thread-repository';
import { createCursors } from '#server/http/paging';

type Page = { items: Message[]; nextCursor: string | null; newerCursor: string | null };

/** Direction, depth and head: messages older or newer than a depth on the branch to the head. */
const cursors = createCursors(z.tuple([z.enum(['older', 'newer']), z.number().int().min(0).max(999_999_999), Id]));

/** Pages of the shown branch: the end first, then in both directions by cursor, or around a message. */
export function messagePages(
  threads: Pick<ThreadRepository, 'find'>,
  messages: Pick<MessageRepository, 'place'>,
  branches: BranchRepository,
  partialAnswers: Pick<PartialAnswers, 'withWords'>,
) {
  async function page(userId: number, threadId: number, head: number, from: number, to: number): Promise<Page> {
    const end = await messages.place(userId, head);
    if (end?.threadId !== threadId) throw noMessage();
    const range = { threadId, head, from: Math.max(0, from), to: Math.min(end.depth, to) };
    return {
      items: await partialAnswers.withWords(userId, await branches.messages(userId, range)),
      nextCursor: range.from > 0 ? cursors.encode(['older', range.from, head]) : null,
      newerCursor: range.to < end.depth ? cursors.encode(['newer', range.to, head]) : null,
    };
  }

  return async function read(
    userId: number,
    threadId: number,
    query: { limit: number; cursor?: string | undefined; around?: number | undefined },
  ): Promise<Page> {
    const thread = await threads.find(userId, threadId);
    if (!thread) throw noThread();
    const { limit } = query;
    if (query.cursor !== undefined) {
      const [direction, depth, head] = cursors.decode(query.cursor);
      const [from, to] = direction === 'older' ? [depth - limit, depth - 1] : [depth + 1, depth + limit];
      return page(userId, threadId, head, from, to);
    }
    const { headMessageId } = thread;
    if (headMessageId === null) return { items: [], nextCursor: null, newerCursor: null };
    if (query.around === undefined) {
      const end = await messages.place(userId, headMessageId);
      const depth = end?.depth ?? 0;
      return page(userId, threadId, headMessageId, depth - limit + 1, depth);
    }
    const message = await messages.place(userId, query.around);
    if (message?.threadId !== threadId) throw noMessage();
    const head = await branches.endThrough(userId, message, headMessageId);
    const before = Math.floor(limit / 2);
    return page(userId, threadId, head, message.depth - before, message.depth - before + limit - 1);
  };
}

export type MessagePages = ReturnType<typeof messagePages>;
