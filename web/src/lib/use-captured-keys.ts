import { type Dispatch, type RefObject, type SetStateAction, useEffect } from 'react';
import { flushSync } from 'react-dom';
import { takeCapturedKeys } from './key-capture.ts';

/** Puts what was typed while a layer was on its way into its field, one key after the other, as if it had been there. */
export function useCapturedKeys(field: RefObject<HTMLInputElement | null>, setText: Dispatch<SetStateAction<string>>) {
  useEffect(() => {
    // Not while React is drawing: each key acts on what the one before has found.
    queueMicrotask(() => {
      field.current?.focus();
      for (const key of takeCapturedKeys()) {
        if (key.length === 1) flushSync(() => setText((text) => text + key));
        else if (key === 'Backspace') flushSync(() => setText((text) => [...text].slice(0, -1).join('')));
        else field.current?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      }
    });
  }, [field, setText]);
}
