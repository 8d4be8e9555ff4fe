import { useLayoutEffect, useState } from 'react';
import { readStored, writeStored } from '#web/lib/storage/storage.ts';

const storageKey = 'app-sidebar';

const readCollapsed = () => readStored(storageKey) === 'collapsed';

/** CSS reads this attribute, which `public/first.js` sets before the first paint. */
function show(collapsed: boolean) {
  if (collapsed) document.documentElement.dataset.sidebar = 'collapsed';
  else delete document.documentElement.dataset.sidebar;
}

/**
 * True if the sidebar is collapsed to icons; stored in this browser until the session ends (`lib/storage/user-storage.ts`).
 */
export function useSidebarCollapsed(): [collapsed: boolean, toggle: () => void] {
  const [collapsed, setCollapsed] = useState(readCollapsed);
  useLayoutEffect(() => show(collapsed), [collapsed]);
  const toggle = () => {
    setCollapsed(!collapsed);
    writeStored(storageKey, collapsed ? 'open' : 'collapsed');
  };
  return [collapsed, toggle];
}
