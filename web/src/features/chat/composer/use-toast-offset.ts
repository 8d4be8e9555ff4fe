import { type RefObject, useEffect } from 'react';

/** Keeps toasts above the composer, whatever its height, so that they never cover it. */
export function useToastOffset(box: RefObject<HTMLTextAreaElement | null>) {
  useEffect(() => {
    const composer = box.current?.closest('[data-composer]');
    const pane = composer?.parentElement;
    if (!composer || !pane) return;
    // Not on the root element: the theme owns its variables.
    const { style } = document.body;
    const observer = new ResizeObserver(() => {
      const { top, height } = composer.getBoundingClientRect();
      // On phones the list may be shown instead.
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
