import { type Dispatch, type RefObject, type SetStateAction, useEffect } from 'react';
import { flushSync } from 'react-dom';
import { takeCapturedKeys } from './key-capture.ts';

/** Replays the keys captured for a layer into its field, one after another. */
export function useCapturedKeys(field: RefObject<HTMLInputElement | null>, setText: Dispatch<SetStateAction<string>>) {
  useEffect(() => {
    // Not during a render: each key depends on the result of the one before.
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
