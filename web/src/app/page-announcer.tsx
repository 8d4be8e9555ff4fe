import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** All conversations count as one page, which manages focus itself. */
const pageOf = (path: string) => (path.startsWith('/chat/') ? '/chat' : path);

/** The page's heading, or else its main element. */
const findHeading = () => document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');

/**
 * Announces page changes to screen readers: reads out the new title and moves focus to the heading, unless the page has
 * set focus itself. On the first load the browser does both.
 */
export function PageAnnouncer() {
  const path = useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname });
  const before = useRef(path);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (before.current === path) return;
    const isSamePage = pageOf(before.current) === pageOf(path);
    before.current = path;
    // By the next frame the page has rendered and set its title and focus.
    const frame = requestAnimationFrame(() => {
      setSaid(document.title.replace(/ · Roster$/, ''));
      const { activeElement } = document;
      if (isSamePage || (activeElement && activeElement !== document.body && activeElement.closest('main, dialog')))
        return;
      const head = findHeading();
      if (head && !head.hasAttribute('tabindex')) head.tabIndex = -1;
      head?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [path]);
  return (
    <p aria-live="polite" data-page-change className="sr-only">
      {said}
    </p>
  );
}
