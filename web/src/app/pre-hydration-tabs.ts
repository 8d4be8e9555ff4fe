import { type Field, fieldsIn, findField, nameOf, restoreFocus, setFieldValue } from './pre-hydration-input.ts';

/** Remembers the focused element even after it is removed. */
function noteFocus(root: HTMLElement, signal: AbortSignal) {
  let focused = document.activeElement;
  const note = ({ target }: FocusEvent) => {
    focused = target instanceof Element ? target : focused;
  };
  root.addEventListener('focusin', note, { signal });
  return () => focused;
}

/**
 * Pressing a tab loads another form that may ask for the same values. Until it is there, people type into the old one.
 */
export function fillNextForm(root: HTMLElement, shellFields: readonly Field[]) {
  const left = fieldsIn(root);
  const stop = new AbortController();
  const lastFocused = noteFocus(root, stop.signal);
  const observer = new MutationObserver(() => {
    const come = fieldsIn(root).filter((field) => !left.includes(field));
    if (come.length === 0) return;
    stop.abort();
    for (const field of come) {
      const name = nameOf(field);
      const before = findField(name, left) ?? findField(name, shellFields);
      if (field.value === '' && before && before.value !== '') setFieldValue(field, before.value);
    }
    const focused = lastFocused();
    if (!focused || focused.isConnected) return;
    restoreFocus(
      root,
      nameOf(focused),
      left.find((one) => one === focused),
    );
  });
  observer.observe(root, { childList: true, subtree: true });
  stop.signal.addEventListener('abort', () => observer.disconnect());
  // Stop once the user has moved on.
  const turn = ({ target, isTrusted }: MouseEvent) => {
    if (isTrusted && target instanceof Element && target.closest('[role=tab], a[href]')) stop.abort();
  };
  root.addEventListener('click', turn, { capture: true, signal: stop.signal });
}
