import { type RefObject, useEffect } from 'react';
import { focusUnlessTouch } from '#web/features/chat/focus-unless-touch.ts';

/** Where the keyboard goes on if what was looked at has left the page meanwhile. */
export function useRestoreFocus(box: RefObject<HTMLTextAreaElement | null>) {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusUnlessTouch(box.current);
    },
    [box],
  );
}
