import type { Message } from '@roster/contracts/chat';
import type { QueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { PendingMessage } from '#web/features/chat/messages/message-changes.ts';
import type { MessageListHandle } from '#web/features/chat/messages/message-list.tsx';

/** Why something was not sent. `insist` sends it over a budget, where it is not the composer's text. */
type SendProblem = { error: unknown; insist: (() => void) | null };

/** What is going on in an open thread, beside what the server knows of it. */
export type ThreadState = {
  /** The question that is being written anew. */
  editingId: number | null;
  /** The answer that is being corrected. */
  improving: Message | null;
  pending: PendingMessage | null;
  failure: SendProblem | null;
  /** The models that the next question goes to, where it goes to several. */
  several: readonly string[];
  stoppingRun: number | null;
};

export const noThreadState: ThreadState = {
  editingId: null,
  improving: null,
  pending: null,
  failure: null,
  several: [],
  stoppingRun: null,
};

export const withChanges = (state: ThreadState, changes: Partial<ThreadState>): ThreadState => ({
  ...state,
  ...changes,
});

/** The message of a search over all conversations, and what was searched for. */
export type FoundMessage = { messageId: number; query: string };
export type Match = FoundMessage & { threadId: number };

/** An open thread, for what is done in it. */
export type OpenThread = {
  client: QueryClient;
  threadId: number;
  list: RefObject<MessageListHandle | null>;
  box: RefObject<HTMLTextAreaElement | null>;
  change: (changes: Partial<ThreadState>) => void;
};
