import { createContext, useContext } from 'react';
import type { JsonTree } from './json-tree.ts';

export type ShownTree = {
  tree: JsonTree;
  opened: ReadonlySet<number>;
  /** Mismatches by JSON pointer. */
  problems: ReadonlyMap<string, string>;
  /** Builds a file name, without extension, from parts. */
  nameOf: (...parts: string[]) => string;
};
export const ShownTreeContext = createContext<ShownTree | null>(null);

export function useShownTree(): ShownTree {
  const shown = useContext(ShownTreeContext);
  if (!shown) throw new Error('useShownTree is used outside a tree');
  return shown;
}
