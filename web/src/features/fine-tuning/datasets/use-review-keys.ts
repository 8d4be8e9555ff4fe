import { useEffect } from 'react';

export type ReviewKeys = {
  keep: () => void;
  leaveOut: () => void;
  edit: () => void;
  next: () => void;
  previous: () => void;
};

const takesKeys =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="tab"], [role="menuitem"], video';

const isTaken = (target: EventTarget | null) => target instanceof HTMLElement && target.matches(takesKeys);
const isBehindLayer = () => document.querySelector('dialog[open][aria-modal="true"]') !== null;

/** Keyboard of the review: K, L, E, left and right. Up and down still scroll. */
export function useReviewKeys(keys: ReviewKeys, enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return;
    const acts: Record<string, () => void> = {
      k: keys.keep,
      l: keys.leaveOut,
      e: keys.edit,
      arrowright: keys.next,
      arrowleft: keys.previous,
    };
    const keyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = acts[event.key.toLowerCase()];
      if (!act || isTaken(event.target) || isBehindLayer()) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', keyDown);
    return () => document.removeEventListener('keydown', keyDown);
  });
}
