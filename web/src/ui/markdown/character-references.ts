import { decodeHTMLStrict } from 'entities/decode';

/** Decodes HTML character references such as `&amp;` and `&#8364;`; all that HTML defines, with their semicolon. */
export const decodeReferences = (text: string): string => (text.includes('&') ? decodeHTMLStrict(text) : text);
