import { type RefObject, useEffect } from 'react';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';

/** Focuses the composer if the opener was unmounted meanwhile. */
export function useRestoreFocus(box: RefObject<HTMLTextAreaElement | null>) {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusUnlessTouch(box.current);
    },
    [box],
  );
}
