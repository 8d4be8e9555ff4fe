import { createContext, type RefObject, useContext, useLayoutEffect, useRef } from 'react';

/** Remembers which code of a text is open. `key` names a code block within the text. */
export type CodeFolding = {
  /** undefined: as the length of the code suggests. */
  isOpen: (key: string) => boolean | undefined;
  change: (key: string, isOpen: boolean) => void;
};

/** null: no code of this text is folded, for example because the text is still growing. */
export const CodeFoldingContext = createContext<CodeFolding | null>(null);

/** Code with more lines can be folded; code with more than `foldedAbove` is. */
const foldableAbove = 30;
const foldedAbove = 40;
export const shownLines = 20;

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

type Fold = { lines: number; isFolded: boolean; change: (isOpen: boolean) => void };

/** null: this code cannot be folded. */
export function useCodeFold(text: string, language: string): Fold | null {
  const folding = useContext(CodeFoldingContext);
  const lines = countLines(text);
  if (!folding || lines <= foldableAbove) return null;
  const key = `${language}:${text.length}`;
  return {
    lines,
    isFolded: !(folding.isOpen(key) ?? lines <= foldedAbove),
    change: (isOpen) => folding.change(key, isOpen),
  };
}

/** Keeps an element in view when what it belongs to has become shorter. */
export function useKeptInView(isFolded: boolean, element: RefObject<HTMLElement | null>): void {
  const before = useRef(isFolded);
  useLayoutEffect(() => {
    if (isFolded && !before.current) element.current?.scrollIntoView({ block: 'nearest' });
    before.current = isFolded;
  }, [isFolded, element]);
}
