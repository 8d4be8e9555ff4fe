import type { Message } from '@roster/contracts/chat';
import type { QueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { PendingMessage } from './message-changes.ts';

/** Why something was not sent. `sendAnyway` sends it over the budget, unless it is the composer's text. */
type SendProblem = { error: unknown; sendAnyway: (() => void) | null };

/** State of an open thread that the server does not have. */
export type ThreadState = {
  /** The question being edited. */
  editingId: number | null;
  /** The answer being corrected. */
  correcting: Message | null;
  pending: PendingMessage | null;
  failure: SendProblem | null;
  /** Models that the next message is sent to, if several. */
  selectedModels: readonly string[];
  stoppingRun: number | null;
};

export const noThreadState: ThreadState = {
  editingId: null,
  correcting: null,
  pending: null,
  failure: null,
  selectedModels: [],
  stoppingRun: null,
};

export const withChanges = (state: ThreadState, changes: Partial<ThreadState>): ThreadState => ({
  ...state,
  ...changes,
});

/** A hit of the search over all conversations, with its query. */
export type FoundMessage = { messageId: number; query: string };
export type Match = FoundMessage & { threadId: number };

export type MessageListHandle = {
  goToEnd: () => void;
  show: (messageId: number) => void;
  /** Stops following the end. */
  stay: () => void;
  /** The scrolling element; rendered messages carry their id in `data-message`. */
  area: () => HTMLElement | null;
};

/** Context of actions in an open thread. */
export type OpenThread = {
  client: QueryClient;
  threadId: number;
  list: RefObject<MessageListHandle | null>;
  box: RefObject<HTMLTextAreaElement | null>;
  change: (changes: Partial<ThreadState>) => void;
};
