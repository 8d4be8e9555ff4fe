import { readDraft, writeDraft } from '#web/lib/drafts.ts';

/** Where the text of a conversation that has not begun is kept. */
export const newThreadDraftKey = 'chat:new';

let isAsked = false;

export const pendingQuestion = () => readDraft(newThreadDraftKey);
export const storePendingQuestion = (text: string) => writeDraft(newThreadDraftKey, text);

/** The kept text is sent as soon as a new conversation is shown; until the server has it, it stays a draft. */
export const requestSend = () => {
  isAsked = true;
};
export const hasPendingQuestion = () => isAsked;
export const clearSendRequest = () => {
  isAsked = false;
};
