import { storeEarlyKeys } from '#web/lib/keyboard/key-capture.ts';

/** Recorded by `public/first.js` before the application starts. */
type Early = {
  pressed: Element | null;
  focused: Element | null;
  composing: boolean;
  /** A pointer is down. */
  pressing: boolean;
  /** The space bar is down on a button. */
  holding: boolean;
  /** Keys pressed outside fields. */
  keys: KeyboardEventInit[];
  /** Typed after Ctrl+K; null if it was not pressed. */
  typed: string[] | null;
  /** Dropped onto a conversation or pasted into its message. */
  carried: { text: string; files: File[] }[];
  stop: AbortController;
};

declare global {
  var __early: Early | undefined;
}

export type Field = HTMLInputElement | HTMLTextAreaElement;
const choices = 'input:is([type=radio], [type=checkbox])';
export const fieldsIn = (place: ParentNode) => [...place.querySelectorAll<Field>(`input:not(${choices}), textarea`)];

/** A name that is the same in the prerendered page and in the application. */
export function nameOf(part: Element): string {
  // The `name` of radio buttons changes with every render of their group.
  const name = part.matches(choices)
    ? part.closest('label')?.textContent
    : (part.getAttribute('name') ?? part.getAttribute('aria-label') ?? part.textContent.trim());
  return [part.localName, part.getAttribute('type'), part.getAttribute('role'), name].join(' ');
}

/** Email fields have no selection: reading it returns null. */
function selectionOf({ selectionStart, selectionEnd }: Field): [number, number] | null {
  return selectionStart === null || selectionEnd === null ? null : [selectionStart, selectionEnd];
}

/** Sets a field's value so that React's listeners are called. */
export function setFieldValue(field: Field, value: string) {
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

const isFree = ({ composing, pressing, holding }: Early) => !composing && !pressing && !holding;

let free: Promise<void> | undefined;

/**
 * Resolves when an input method composition or a press in the prerendered page has ended; replacing its element would
 * lose it. Undefined if there is none.
 */
export function whenInputIdle(): Promise<void> | undefined {
  const early = globalThis.__early;
  if (!early || isFree(early)) return undefined;
  free ??= new Promise((resolve) => {
    const heard = new AbortController();
    const check = () => {
      if (!isFree(early)) return;
      heard.abort();
      free = undefined;
      resolve();
    };
    // The press becomes a click in the same task.
    for (const type of ['compositionend', 'focusout', 'pointerup', 'pointercancel', 'pointermove', 'keyup'])
      document.addEventListener(type, () => setTimeout(check), { signal: heard.signal });
  });
  return free;
}

/** Replays a paste or drop on the message field. */
function paste(root: HTMLElement, { text, files }: Early['carried'][number]) {
  const clipboardData = new DataTransfer();
  for (const file of files) clipboardData.items.add(file);
  if (text !== '') clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  root.querySelector('[data-composer] textarea')?.dispatchEvent(event);
}

export const findField = (name: string, fields: readonly Field[]) => fields.find((field) => nameOf(field) === name);

/** Focuses the application's element with the same name and restores the selection. */
export function restoreFocus(root: HTMLElement, name: string, before: Field | undefined) {
  const part = [...root.querySelectorAll<HTMLElement>('input, textarea, button, a[href]')].find(
    (candidate) => nameOf(candidate) === name,
  );
  part?.focus({ preventScroll: true });
  const selection = before && selectionOf(before);
  if (!selection || !(part instanceof HTMLInputElement || part instanceof HTMLTextAreaElement)) return;
  // The text may have been appended to a stored draft.
  const offset = part.value.length - before.value.length;
  if (part.selectionStart !== null) part.setSelectionRange(selection[0] + offset, selection[1] + offset);
}

/** Copies text from the prerendered fields into fields with the same name. */
function fill(root: HTMLElement, shellFields: readonly Field[]) {
  for (const field of fieldsIn(root)) {
    const typed = findField(nameOf(field), shellFields);
    if (!typed || typed.value === '') continue;
    // Keep the stored draft and append what was typed.
    setFieldValue(field, field.value === '' ? typed.value : `${field.value}\n${typed.value}`);
  }
}

type FillWhatComes = (root: HTMLElement, shellFields: readonly Field[]) => void;
let fillWhatComes: FillWhatComes | undefined;
/** Only the login page has tabs, so its chunk registers how text moves between their forms. */
export const setTabHandler = (fill: FillWhatComes): void => {
  fillWhatComes = fill;
};

/**
 * Captures text, focus and the last press while the application replaces the prerendered page, and returns functions
 * that restore them. The prerendered fields are read at that time, not now: they keep their text after removal, and are
 * typed into until then.
 */
export function capturePreHydrationInput(root: HTMLElement) {
  const early = globalThis.__early;
  const shellFields = fieldsIn(root);
  const focusAgain = () => {
    if (!early?.focused) return;
    const name = nameOf(early.focused);
    restoreFocus(root, name, findField(name, shellFields));
  };
  return {
    /** Call before the application's first paint. */
    restore() {
      early?.stop.abort();
      fill(root, shellFields);
      focusAgain();
    },
    /** Call after components have set their own focus. */
    press() {
      focusAgain();
      for (const carried of early?.carried ?? []) paste(root, carried);
      for (const key of early?.keys ?? []) document.body.dispatchEvent(new KeyboardEvent('keydown', key));
      if (!early?.pressed) return;
      const name = nameOf(early.pressed);
      const button = [...root.querySelectorAll<HTMLElement>(`button, ${choices}`)].find(
        (candidate) => nameOf(candidate) === name,
      );
      if (early.typed) storeEarlyKeys(early.typed);
      if (button?.role === 'tab') fillWhatComes?.(root, shellFields);
      button?.click();
    },
  };
}

export type PreHydrationInput = ReturnType<typeof capturePreHydrationInput>;
