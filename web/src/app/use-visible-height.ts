import { useEffect } from 'react';

/**
 * While an on-screen keyboard covers part of the window (iOS overlays it without changing the reported height), a page
 * that fills the window gets the visible height. Not set on the root element: the theme owns its variables.
 */
export function useVisibleHeight(isOn: boolean): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!isOn || !seen) return;
    const { style } = document.body;
    const fit = () => {
      // When zoomed in by pinching, only part of the page is visible on purpose.
      const isCovered = seen.scale === 1 && window.innerHeight - seen.height > 80;
      if (!isCovered) return void style.removeProperty('--visible-height');
      style.setProperty('--visible-height', `${seen.height}px`);
      // The browser may have scrolled the page to reveal the field; that is no longer needed.
      if (seen.offsetTop > 0 || window.scrollY > 0) window.scrollTo(0, 0);
    };
    fit();
    seen.addEventListener('resize', fit);
    seen.addEventListener('scroll', fit);
    return () => {
      seen.removeEventListener('resize', fit);
      seen.removeEventListener('scroll', fit);
      style.removeProperty('--visible-height');
    };
  }, [isOn]);
}
