import { useEffect } from 'react';
import { isImeKey } from '#web/lib/enter-key.ts';

/** Esc, unless something closer (a dialog, a menu, a search, an edited question) has taken it. null: nothing to do. */
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
