/** A key as it is typed into a field that is still to come. */
type Ahead = { keys: string[]; release: () => void };

let ahead: Ahead | null = null;

const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  !ctrlKey && !metaKey && !altKey && !['Shift', 'Tab', 'CapsLock', 'Process', 'Dead', 'Unidentified'].includes(key);

/**
 * From now on keys are kept for a layer whose code is on its way, until it takes them: the page below must neither write
 * them into a draft nor follow them as shortcuts. Escape gives the layer up.
 */
export function captureKeys(onEscape: () => void, typed: readonly string[] = []): void {
  if (ahead) return;
  const heard = new AbortController();
  const release = () => {
    heard.abort();
    ahead = null;
  };
  ahead = { keys: [...typed], release };
  const keyDown = (event: KeyboardEvent) => {
    if (!isTyped(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key !== 'Escape') return void ahead?.keys.push(event.key);
    release();
    onEscape();
  };
  addEventListener('keydown', keyDown, { capture: true, signal: heard.signal });
}

/** What was typed ahead, in its order; nothing more is kept. */
export function takeCapturedKeys(): readonly string[] {
  const keys = ahead?.keys ?? [];
  ahead?.release();
  return keys;
}

/** The keys that were typed before the application was there, until the layer is opened that they are for. */
let early: readonly string[] = [];
export const storeEarlyKeys = (keys: readonly string[]): void => {
  early = keys;
};
export function takeEarlyKeys(): readonly string[] {
  const keys = early;
  early = [];
  return keys;
}
