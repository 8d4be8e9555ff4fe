import type { Message } from '@roster/contracts/chat';
import { createContext, useContext } from 'react';
import type { StoredFile } from '#web/features/chat/attachments/attachments.ts';
import type { Choice } from '#web/features/chat/chat-targets/use-chat-targets.ts';

export type UnsentEdit = { messageId: number; text: string; files: readonly StoredFile[] };

/** What can be done with the messages of the open thread. */
export type ThreadActions = {
  threadId: number;
  /** Who answers from here on. */
  choice: Choice;
  /** Why nothing can be begun now: an answer is being written. */
  blockedReason: string | undefined;
  /** `model`: left out, what answers in the conversation. */
  regenerate: (messageId: number, model?: string) => void;
  /** Asks for the rest of an answer; undefined: it cannot be continued. */
  continuing: (answer: Message) => (() => void) | undefined;
  /** Opens the question for editing. */
  edit: (messageId: number) => void;
  stopEditing: () => void;
  /** Closes the editor; where the edited question is refused, it opens again with what was written. */
  sendEdited: (edited: UnsentEdit & { parentId: number | null }) => void;
  /** What was written last in an editor and not taken by the server. */
  unsentEdit: (messageId: number) => UnsentEdit | null;
  /** Opens an answer for a correction, or closes it: beside the messages, of which a long conversation takes many off the page. */
  improve: (answer: Message | null) => void;
  showBranch: (messageId: number) => void;
  choose: (choice: Choice) => void;
  /** Of answers that stand side by side, the one to go on with. */
  goOnWith: (answer: Message) => void;
  stopRun: (runId: number) => void;
};

export const ThreadActionsContext = createContext<ThreadActions | null>(null);

export function useThreadActions(): ThreadActions {
  const actions = useContext(ThreadActionsContext);
  if (!actions) throw new Error('useThreadActions is used outside an open thread');
  return actions;
}
