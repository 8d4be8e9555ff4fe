import { countMatchesInMessage, findPattern } from '@roster/contracts/text/find-text';
import type { BranchRepository } from '#server/features/chat/shared/branch-repository';
import type { MessageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import type { ThreadRepository } from '#server/features/chat/shared/thread-repository';

/** Messages read at once, and in total from the newest on: about a second of work. */
const messagesAtOnce = 250;
const maxMessages = 5000;

type Query = { q: string; through?: number | undefined };
type MatchPage = { items: { messageId: number; count: number }[]; isWhole: boolean };

/** Finds a text in the messages of one branch. */
export function messageFinder(
  threads: Pick<ThreadRepository, 'find'>,
  messages: Pick<MessageRepository, 'place'>,
  branches: Pick<BranchRepository, 'searched' | 'endThrough'>,
) {
  return async function find(userId: number, threadId: number, { q, through }: Query): Promise<MatchPage> {
    const thread = await threads.find(userId, threadId);
    if (!thread) throw noThread();
    const pattern = findPattern(q);
    const shown = thread.headMessageId;
    const message = await messages.place(userId, through ?? shown ?? 0);
    if (through !== undefined && message?.threadId !== threadId) throw noMessage();
    if (!pattern || !message || shown === null) return { items: [], isWhole: true };

    const head = await branches.endThrough(userId, message, shown);
    const depth = (await messages.place(userId, head))?.depth ?? message.depth;
    const oldest = Math.max(0, depth - maxMessages + 1);
    const items: MatchPage['items'] = [];
    // Several short reads, so that a long thread neither fills the memory nor blocks other requests.
    for (let from = oldest; from <= depth; from += messagesAtOnce) {
      const to = Math.min(depth, from + messagesAtOnce - 1);
      for (const searched of await branches.searched(userId, { threadId, head, from, to })) {
        const count = countMatchesInMessage(searched, pattern);
        if (count > 0) items.push({ messageId: searched.id, count });
      }
    }
    return { items, isWhole: oldest === 0 };
  };
}

export type MessageFinder = ReturnType<typeof messageFinder>;
