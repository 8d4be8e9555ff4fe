import { createContext, useContext } from 'react';
import type { JsonTree } from './json-tree.ts';

export type ShownTree = {
  tree: JsonTree;
  opened: ReadonlySet<number>;
  /** What is wrong, by its place as a JSON pointer. */
  problems: ReadonlyMap<string, string>;
  /** The name of a file, without its ending, with what is in it. */
  nameOf: (...parts: string[]) => string;
};
export const ShownTreeContext = createContext<ShownTree | null>(null);

export function useShownTree(): ShownTree {
  const shown = useContext(ShownTreeContext);
  if (!shown) throw new Error('useShownTree is used outside a tree');
  return shown;
}
