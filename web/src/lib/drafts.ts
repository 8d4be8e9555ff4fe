import { readValue, writeValue } from './browser-values.ts';

const prefix = 'draft:';

/** What this person typed and has not yet sent, kept in this browser until it is sent or the session ends. */
export const readDraft = (key: string): string => readValue(prefix + key) ?? '';

/** An empty text removes the draft. */
export const writeDraft = (key: string, text: string): void => writeValue(prefix + key, text === '' ? null : text);
