import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** The conversations are one page, in which the focus has its own ways. */
const pageOf = (path: string) => (path.startsWith('/chat/') ? '/chat' : path);

/** The first thing on the page that says what it is. */
const findHeading = () => document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');

/**
 * A change of page within Roster, for who does not see it: its title is said, and the focus goes to its heading, unless
 * the page has put it somewhere itself. The browser does both on the first load.
 */
export function PageAnnouncer() {
  const path = useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname });
  const before = useRef(path);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (before.current === path) return;
    const isSamePage = pageOf(before.current) === pageOf(path);
    before.current = path;
    // By the next frame the page stands, with its title and whatever took the focus in it.
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
