import { type RefObject, useEffect } from 'react';

/** Toasts appear above the composer, however high it is: what is written in it can be sent meanwhile. */
export function useToastOffset(box: RefObject<HTMLTextAreaElement | null>) {
  useEffect(() => {
    const composer = box.current?.closest('[data-composer]');
    const pane = composer?.parentElement;
    if (!composer || !pane) return;
    // Not on the root: the theme owns the variables there.
    const { style } = document.body;
    const observer = new ResizeObserver(() => {
      const { top, height } = composer.getBoundingClientRect();
      // On a phone the list of conversations may be shown instead.
      style.setProperty('--toasts-bottom', height === 0 ? '0px' : `${window.innerHeight - top}px`);
    });
    observer.observe(composer);
    observer.observe(pane);
    return () => {
      observer.disconnect();
      style.removeProperty('--toasts-bottom');
    };
  }, [box]);
}
