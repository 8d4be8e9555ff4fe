import { decodeHTMLStrict } from 'entities/decode';

/** Markdown's `&amp;` and `&#8364;` as the characters they stand for: all that HTML knows, with their semicolon. */
export const decodeReferences = (text: string): string => (text.includes('&') ? decodeHTMLStrict(text) : text);
