import type { Message } from '@roster/contracts/chat';
import { createContext, useContext } from 'react';
import type { StoredFile } from './attachments.ts';
import type { Choice } from './use-assistants.ts';

export type UnsentEdit = { messageId: number; text: string; files: readonly StoredFile[] };

/** Actions on the messages of the open thread. */
export type ThreadActions = {
  threadId: number;
  /** Answers from here on. */
  choice: Choice;
  /** Reason why nothing can be started: an answer is being written. */
  blockedReason: string | undefined;
  /** Without `model`, the thread's chat target. */
  regenerate: (messageId: number, model?: string) => void;
  /** Returns a function that requests the rest of an answer; undefined if it cannot be continued. */
  continuing: (answer: Message) => (() => void) | undefined;
  /** Opens the question's editor. */
  edit: (messageId: number) => void;
  stopEditing: () => void;
  /** Closes the editor; if the server refuses, it reopens with the edited text. */
  sendEdited: (edited: UnsentEdit & { parentId: number | null }) => void;
  /** The last edit that the server has not accepted. */
  unsentEdit: (messageId: number) => UnsentEdit | null;
  /**
   * Opens or closes the correction of an answer. Rendered outside the list, which unmounts messages far from the view.
   */
  correct: (answer: Message | null) => void;
  showBranch: (messageId: number) => void;
  choose: (choice: Choice) => void;
  /** Selects one of several parallel answers to continue with. */
  continueWith: (answer: Message) => void;
  stopRun: (runId: number) => void;
};

export const ThreadActionsContext = createContext<ThreadActions | null>(null);

export function useThreadActions(): ThreadActions {
  const actions = useContext(ThreadActionsContext);
  if (!actions) throw new Error('useThreadActions is used outside an open thread');
  return actions;
}
