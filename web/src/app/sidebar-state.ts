import { useLayoutEffect, useState } from 'react';

const storageKey = 'app-sidebar';

function readCollapsed(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'collapsed';
  } catch {
    return false;
  }
}

/** The look follows this mark, which `public/first.js` sets before the first paint. */
function show(collapsed: boolean) {
  if (collapsed) document.documentElement.dataset.sidebar = 'collapsed';
  else delete document.documentElement.dataset.sidebar;
}

/** Whether the sidebar is an icon bar; kept in this browser until the session ends (`lib/browser-values.ts`). */
export function useCollapsed(): [collapsed: boolean, toggle: () => void] {
  const [collapsed, setCollapsed] = useState(readCollapsed);
  useLayoutEffect(() => show(collapsed), [collapsed]);
  const toggle = () => {
    setCollapsed(!collapsed);
    try {
      localStorage.setItem(storageKey, collapsed ? 'open' : 'collapsed');
    } catch {
      // Storage is refused: the choice holds until the page is left.
    }
  };
  return [collapsed, toggle];
}
