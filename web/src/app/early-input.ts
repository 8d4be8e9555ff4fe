/** What `public/first.js` notices before the application is there. */
type Early = {
  pressed: Element | null;
  focused: Element | null;
  composing: boolean;
  /** Pressed outside of fields. */
  keys: KeyboardEventInit[];
  stop: AbortController;
};

declare global {
  var __early: Early | undefined;
}

type Field = HTMLInputElement | HTMLTextAreaElement;
const choices = 'input:is([type=radio], [type=checkbox])';
const fieldsIn = (place: ParentNode) => [...place.querySelectorAll<Field>(`input:not(${choices}), textarea`)];

/** What a part is called, which is the same in the shell and in the application. */
function nameOf(part: Element): string {
  // The name of a choice is made anew by each drawing of its group.
  const name = part.matches(choices)
    ? part.closest('label')?.textContent
    : (part.getAttribute('name') ?? part.getAttribute('aria-label') ?? part.textContent.trim());
  return [part.localName, part.getAttribute('type'), part.getAttribute('role'), name].join(' ');
}

/** Email fields have no selection; reading theirs answers null. */
function selectionOf({ selectionStart, selectionEnd }: Field): [number, number] | null {
  return selectionStart === null || selectionEnd === null ? null : [selectionStart, selectionEnd];
}

/** Types into a field as a person would, so that whoever listens to it hears of it. */
function type(field: Field, value: string) {
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Waits for the word that an input method is writing: it would be lost with the field it is written in. */
export async function untilComposed(): Promise<void> {
  if (!globalThis.__early?.composing) return;
  await new Promise((resolve) => {
    for (const end of ['compositionend', 'focusout']) document.addEventListener(end, resolve, { once: true });
  });
}

/**
 * Keeps what was typed into the shell, where the focus is and what was pressed last, while the application takes the
 * shell's place; the answer puts all of it into the application. The shell's fields are read at that time, not now: they
 * keep their text when they are gone from the page, and are typed into until then.
 */
export function keepEarlyInput(root: HTMLElement) {
  const early = globalThis.__early;
  const fields = fieldsIn(root);
  const typedAs = (name: string) => fields.find((field) => nameOf(field) === name);

  const focusAgain = () => {
    if (!early?.focused) return;
    const name = nameOf(early.focused);
    const part = [...root.querySelectorAll<HTMLElement>('input, textarea, button, a[href]')].find(
      (candidate) => nameOf(candidate) === name,
    );
    part?.focus({ preventScroll: true });
    const before = typedAs(name);
    const selection = before && selectionOf(before);
    if (!selection || !(part instanceof HTMLInputElement || part instanceof HTMLTextAreaElement)) return;
    // Behind what a draft had kept.
    const offset = part.value.length - before.value.length;
    if (part.selectionStart !== null) part.setSelectionRange(selection[0] + offset, selection[1] + offset);
  };
  const fill = (candidates: Iterable<Field>) => {
    for (const field of candidates) {
      const typed = typedAs(nameOf(field));
      if (!typed || typed.value === '') continue;
      // What a draft had kept stays, before what was typed now.
      type(field, field.value === '' ? typed.value : `${field.value}\n${typed.value}`);
    }
  };
  /** Pressing a tab brings another form, which may ask for the same. */
  const fillWhatComes = () => {
    const known = new Set(fieldsIn(root));
    const observer = new MutationObserver(() => {
      const come = fieldsIn(root).filter((field) => !known.has(field));
      if (come.length === 0) return;
      observer.disconnect();
      fill(come.filter(({ value }) => value === ''));
    });
    observer.observe(root, { childList: true, subtree: true });
    setTimeout(() => observer.disconnect(), 3000);
  };
  return {
    /** Before the application is painted for the first time. */
    restore() {
      early?.stop.abort();
      fill(fieldsIn(root));
      focusAgain();
    },
    /** Once its parts have found their own focus. */
    press() {
      focusAgain();
      for (const key of early?.keys ?? []) document.body.dispatchEvent(new KeyboardEvent('keydown', key));
      if (!early?.pressed) return;
      const name = nameOf(early.pressed);
      const button = [...root.querySelectorAll<HTMLElement>(`button, ${choices}`)].find(
        (candidate) => nameOf(candidate) === name,
      );
      if (button?.role === 'tab') fillWhatComes();
      button?.click();
    },
  };
}

export type EarlyInput = ReturnType<typeof keepEarlyInput>;
