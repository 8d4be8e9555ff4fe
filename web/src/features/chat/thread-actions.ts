import type { Message } from '@roster/contracts/chat';
import { createContext, useContext } from 'react';

/** What can be done with the messages of the open thread. */
export type ThreadActions = {
  threadId: number;
  assistantId: number | null;
  /** Why nothing can be begun now: an answer is being written. */
  blockedReason: string | undefined;
  regenerate: (messageId: number) => void;
  /** Opens the question for editing. */
  edit: (messageId: number) => void;
  stopEditing: () => void;
  /** Resolves true when the server has the edited question. */
  sendEdited: (edited: {
    messageId: number;
    parentId: number | null;
    text: string;
    fileIds: readonly number[];
  }) => Promise<boolean>;
  /** Opens an answer for a correction, or closes it: beside the messages, of which a long conversation takes many off the page. */
  improve: (answer: Message | null) => void;
  showBranch: (messageId: number) => void;
  chooseAssistant: (assistantId: number | null) => void;
};

export const ThreadActionsContext = createContext<ThreadActions | null>(null);

export function useThreadActions(): ThreadActions {
  const actions = useContext(ThreadActionsContext);
  if (!actions) throw new Error('useThreadActions is used outside an open thread');
  return actions;
}
