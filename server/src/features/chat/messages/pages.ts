import type { Message } from '@roster/contracts/chat';
import { AppError } from '../../../errors.ts';
import type { AnswersUnderWay } from '../runs/partial-answers.ts';
import type { ThreadRepository } from '../threads/repository.ts';
import { noThread } from '../threads/service.ts';
import type { MessageRepository } from './repository.ts';

type Page = { items: Message[]; nextCursor: string | null; newerCursor: string | null };

/** A place in a branch: everything older or newer than this depth, on the way to `head`. */
type Cursor = { direction: 'older' | 'newer'; depth: number; head: number };

const encode = ({ direction, depth, head }: Cursor) => `${direction}.${depth}.${head}`;

function decode(cursor: string): Cursor {
  const [, direction, depth, head] = /^(older|newer)\.(\d{1,9})\.(\d{1,10})$/.exec(cursor) ?? [];
  if ((direction !== 'older' && direction !== 'newer') || Number(head) > 2_147_483_647)
    throw new AppError('invalid_input', 'The cursor is not one that this list gave.');
  return { direction, depth: Number(depth), head: Number(head) };
}

/** Pages of the shown branch: its end first, then either way by cursor, or around a message. */
export function messagePages(
  threads: ThreadRepository,
  messages: MessageRepository,
  underWay: Pick<AnswersUnderWay, 'withWords'>,
) {
  async function page(userId: number, threadId: number, head: number, from: number, to: number): Promise<Page> {
    const end = await messages.place(userId, head);
    if (end?.threadId !== threadId) throw new AppError('not_found', 'This message does not exist.');
    const range = { threadId, head, from: Math.max(0, from), to: Math.min(end.depth, to) };
    return {
      items: await underWay.withWords(userId, await messages.inBranch(userId, range)),
      nextCursor: range.from > 0 ? encode({ direction: 'older', depth: range.from, head }) : null,
      newerCursor: range.to < end.depth ? encode({ direction: 'newer', depth: range.to, head }) : null,
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
      const { direction, depth, head } = decode(query.cursor);
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
    if (message?.threadId !== threadId) throw new AppError('not_found', 'This message does not exist.');
    const isShown = await messages.isInBranch(userId, message, headMessageId);
    const head = isShown ? headMessageId : await messages.newestEnd(message.id);
    const before = Math.floor(limit / 2);
    return page(userId, threadId, head, message.depth - before, message.depth - before + limit - 1);
  };
}

export type MessagePages = ReturnType<typeof messagePages>;
