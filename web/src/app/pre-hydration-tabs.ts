import { type Field, fieldsIn, findField, nameOf, restoreFocus, setFieldValue } from './pre-hydration-input.ts';

/** Keeps in mind what has the focus, also when it is gone from the page. */
function noteFocus(root: HTMLElement, signal: AbortSignal) {
  let focused = document.activeElement;
  const note = ({ target }: FocusEvent) => {
    focused = target instanceof Element ? target : focused;
  };
  root.addEventListener('focusin', note, { signal });
  return () => focused;
}

/** Pressing a tab brings another form, which may ask for the same. Until it is there, the one before is written in. */
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
  // Whoever turns to something else meanwhile has gone on from here.
  const turn = ({ target, isTrusted }: MouseEvent) => {
    if (isTrusted && target instanceof Element && target.closest('[role=tab], a[href]')) stop.abort();
  };
  root.addEventListener('click', turn, { capture: true, signal: stop.signal });
}
