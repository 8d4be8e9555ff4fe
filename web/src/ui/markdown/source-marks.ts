import { createContext } from 'react';
import type { Inline } from './tree.ts';

/**
 * A mark in a text that links to one of its sources, encoded with private-use characters. One that a model writes
 * itself has no source and is not shown.
 */
const [opens, closes] = ['\uE0F1', '\uE0F2'];
const mark = /\uE0F1(\d{1,3})\uE0F2/g;

/** Preceded by a space, so that a URL before it ends. */
export const sourceMark = (number: number) => ` ${opens}${number}${closes}`;

/** Removes marks from text shown as source: code, formulas. */
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

/** Sources that the marks refer to. */
export const SourcesContext = createContext<Sources | null>(null);
