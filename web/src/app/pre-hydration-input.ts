import { storeEarlyKeys } from '#web/lib/key-capture.ts';

/** What `public/first.js` notices before the application is there. */
type Early = {
  pressed: Element | null;
  focused: Element | null;
  composing: boolean;
  /** Between press and release of a pointer. */
  pressing: boolean;
  /** Likewise of the space bar on a button. */
  holding: boolean;
  /** Pressed outside of fields. */
  keys: KeyboardEventInit[];
  /** Typed after Ctrl+K. */
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

/** What a part is called, which is the same in the shell and in the application. */
export function nameOf(part: Element): string {
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

/** Types into a field as a person would, so that its listeners are called. */
export function setFieldValue(field: Field, value: string) {
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

const isFree = ({ composing, pressing, holding }: Early) => !composing && !pressing && !holding;

let free: Promise<void> | undefined;

/**
 * The end of the word that an input method is writing into the shell, or of a press: both would be lost with the part
 * of the page in which they began. Nothing where none is.
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

/** Pastes into the message what was pasted or dropped before there were listeners. */
function paste(root: HTMLElement, { text, files }: Early['carried'][number]) {
  const clipboardData = new DataTransfer();
  for (const file of files) clipboardData.items.add(file);
  if (text !== '') clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  root.querySelector('[data-composer] textarea')?.dispatchEvent(event);
}

export const findField = (name: string, fields: readonly Field[]) => fields.find((field) => nameOf(field) === name);

/** Whatever of the application is called as what had the focus, with the selection it had. */
export function restoreFocus(root: HTMLElement, name: string, before: Field | undefined) {
  const part = [...root.querySelectorAll<HTMLElement>('input, textarea, button, a[href]')].find(
    (candidate) => nameOf(candidate) === name,
  );
  part?.focus({ preventScroll: true });
  const selection = before && selectionOf(before);
  if (!selection || !(part instanceof HTMLInputElement || part instanceof HTMLTextAreaElement)) return;
  // Behind what a draft had kept.
  const offset = part.value.length - before.value.length;
  if (part.selectionStart !== null) part.setSelectionRange(selection[0] + offset, selection[1] + offset);
}

/** Puts what was typed into the shell's fields into those that are called the same. */
function fill(root: HTMLElement, shellFields: readonly Field[]) {
  for (const field of fieldsIn(root)) {
    const typed = findField(nameOf(field), shellFields);
    if (!typed || typed.value === '') continue;
    // What a draft had kept stays, before what was typed now.
    setFieldValue(field, field.value === '' ? typed.value : `${field.value}\n${typed.value}`);
  }
}

type FillWhatComes = (root: HTMLElement, shellFields: readonly Field[]) => void;
let fillWhatComes: FillWhatComes | undefined;
/** Only the sign-in page has tabs, so its code brings along what happens to the text of their fields. */
export const setTabHandler = (fill: FillWhatComes): void => {
  fillWhatComes = fill;
};

/**
 * Keeps what was typed into the shell, where the focus is and what was pressed last, while the application takes the
 * shell's place; the answer puts all of it into the application. The shell's fields are read at that time, not now: they
 * keep their text when they are gone from the page, and are typed into until then.
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
    /** Before the application is painted for the first time. */
    restore() {
      early?.stop.abort();
      fill(root, shellFields);
      focusAgain();
    },
    /** Once its parts have found their own focus. */
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
