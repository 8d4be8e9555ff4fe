/** A key that inserts one character. */
type Ahead = { keys: string[]; release: () => void };

let ahead: Ahead | null = null;

const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  !ctrlKey && !metaKey && !altKey && !['Shift', 'Tab', 'CapsLock', 'Process', 'Dead', 'Unidentified'].includes(key);

/**
 * Captures keys for a layer whose chunk is loading, until the layer takes them; the page below must not type them into
 * a draft or run them as shortcuts. Escape cancels the layer.
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

/** Returns the captured keys in order and stops capturing. */
export function takeCapturedKeys(): readonly string[] {
  const keys = ahead?.keys ?? [];
  ahead?.release();
  return keys;
}

/** Keys typed before the application started, until their layer opens. */
let early: readonly string[] = [];
export const storeEarlyKeys = (keys: readonly string[]): void => {
  early = keys;
};
export function takeEarlyKeys(): readonly string[] {
  const keys = early;
  early = [];
  return keys;
}
