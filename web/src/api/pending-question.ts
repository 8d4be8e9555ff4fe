import { readDraft, writeDraft } from '#web/lib/storage/drafts.ts';

/** Draft key of a new conversation. */
export const newThreadDraftKey = 'chat:new';

let isAsked = false;

export const pendingQuestion = () => readDraft(newThreadDraftKey);
export const storePendingQuestion = (text: string) => writeDraft(newThreadDraftKey, text);

/** Sends the stored draft as soon as a new conversation is shown; it stays a draft until the server has it. */
export const requestSend = () => {
  isAsked = true;
};
export const hasPendingQuestion = () => isAsked;
export const clearSendRequest = () => {
  isAsked = false;
};
