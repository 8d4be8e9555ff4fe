import { useEffect } from 'react';

/**
 * While a keyboard covers a part of the window (iOS lays it over the page, whatever its height is said to be), a page
 * that fills the window is as high as what is seen of it. Not on the root: the theme owns the variables there.
 */
export function useVisibleHeight(isOn: boolean): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!isOn || !seen) return;
    const { style } = document.body;
    const fit = () => {
      // Pinched, a part of the page is seen on purpose.
      const isCovered = seen.scale === 1 && window.innerHeight - seen.height > 80;
      if (!isCovered) return void style.removeProperty('--visible-height');
      style.setProperty('--visible-height', `${seen.height}px`);
      // The browser may have moved the page up to bring the field into view; now it is there without that.
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
