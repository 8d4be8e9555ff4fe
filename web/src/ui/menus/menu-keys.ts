import { type KeyboardEvent, type RefObject, useRef } from 'react';

/** Menu items in order; disabled ones are focusable, so that they can be read. */
export const menuItems = (menu: HTMLElement | null): HTMLElement[] =>
  menu ? [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')] : [];

/** Index of the item that a key moves to; undefined for other keys. */
export function nextIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at <= 0 ? count : at) - 1;
  if (key === 'Home' || key === 'PageUp') return 0;
  if (key === 'End' || key === 'PageDown') return count - 1;
  return undefined;
}

/** Index of the next item that starts with the typed letters. */
export function findByPrefix(typed: string, labels: readonly string[], at: number): number | undefined {
  // Repeating one letter moves on; several letters may match the current item.
  const start = typed.length === 1 ? at + 1 : Math.max(at, 0);
  for (let step = 0; step < labels.length; step++) {
    const index = (start + step) % labels.length;
    if (labels[index]?.toLowerCase().startsWith(typed.toLowerCase())) return index;
  }
  return undefined;
}

const typingPause = 600;

/** Menu keyboard: arrow keys, Home, End and first letters move; Esc and Tab close. */
export function useMenuKeys(menu: RefObject<HTMLElement | null>, onClose: (returnFocus: boolean) => void) {
  const typed = useRef({ text: '', at: 0 });

  const typedSoFar = (event: KeyboardEvent) => {
    const isFresh = event.timeStamp - typed.current.at > typingPause;
    const text = isFresh || typed.current.text === event.key ? event.key : typed.current.text + event.key;
    typed.current = { text, at: event.timeStamp };
    return text;
  };

  return (event: KeyboardEvent) => {
    event.stopPropagation();
    const items = menuItems(menu.current);
    const at = items.findIndex((item) => item.matches(':focus'));
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      onClose(true);
      return;
    }
    const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const labels = () => items.map((item) => item.textContent?.trim() ?? '');
    const next = isLetter ? findByPrefix(typedSoFar(event), labels(), at) : nextIndex(event.key, at, items.length);
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  };
}
