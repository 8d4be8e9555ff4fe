import { readDraft, writeDraft } from '#web/lib/drafts.ts';

/** Where the text of a conversation that has not begun is kept. */
export const newThreadPlace = 'chat:new';

let isAsked = false;

export const pendingQuestion = () => readDraft(newThreadPlace);
export const storePendingQuestion = (text: string) => writeDraft(newThreadPlace, text);

/** The kept text is sent as soon as a new conversation is shown; until the server has it, it stays a draft. */
export const askInNewThread = () => {
  isAsked = true;
};
export const hasPendingQuestion = () => isAsked;
export const endAsking = () => {
  isAsked = false;
};
