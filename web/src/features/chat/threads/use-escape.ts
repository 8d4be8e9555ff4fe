import { useEffect } from 'react';
import { isImeKey } from '#web/lib/enter-key.ts';

/** Runs on Esc, unless something closer (dialog, menu, search, editor) handles it. null: do nothing. */
export function useEscape(act: (() => void) | null): void {
  useEffect(() => {
    if (!act) return;
    const keyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isImeKey(event)) return;
      if (document.querySelector('[aria-modal="true"], [role="menu"]')) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', keyDown);
    return () => document.removeEventListener('keydown', keyDown);
  }, [act]);
}
