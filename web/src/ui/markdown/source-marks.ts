import { createContext } from 'react';
import type { Inline } from './tree.ts';

/**
 * A number in a text that leads to one of its sources. It is written into the Markdown with characters that no text has a
 * use for. One that a model writes itself leads nowhere, and is not shown.
 */
const [opens, closes] = ['\uE0F1', '\uE0F2'];
const mark = /\uE0F1(\d{1,3})\uE0F2/g;

/** After a space, so that an address before it has its end. */
export const sourceMark = (number: number) => ` ${opens}${number}${closes}`;

/** What is shown as it was written has none: code, formulas. */
export const stripSourceMarks = (text: string) =>
  text.includes(opens) ? text.replace(/ ?\uE0F1\d{1,3}\uE0F2/g, '') : text;

export function splitAtSourceMarks(text: string): Inline[] {
  if (!text.includes(opens)) return [{ kind: 'text', text }];
  const parts: Inline[] = [];
  let from = 0;
  for (const found of text.matchAll(mark)) {
    parts.push({ kind: 'text', text: text.slice(from, found.index).replace(/ $/, '') });
    parts.push({ kind: 'source', number: Number(found[1]) });
    from = found.index + found[0].length;
  }
  return [...parts, { kind: 'text', text: text.slice(from) }];
}

export type Sources = { names: readonly string[]; onShow: (number: number) => void };

/** The sources that the marks of a text lead to. */
export const SourcesContext = createContext<Sources | null>(null);
