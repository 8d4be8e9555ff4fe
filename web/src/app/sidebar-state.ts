import { useState } from 'react';

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

/** Whether the sidebar is an icon bar; kept in this browser until sign-out. */
export function useCollapsed(): [collapsed: boolean, toggle: () => void] {
  const [collapsed, setCollapsed] = useState(readCollapsed);
  const toggle = () => {
    setCollapsed(!collapsed);
    show(!collapsed);
    try {
      localStorage.setItem(storageKey, collapsed ? 'open' : 'collapsed');
    } catch {
      // Storage is refused: the choice holds until the page is left.
    }
  };
  return [collapsed, toggle];
}

export function forgetSidebar(): void {
  show(false);
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Storage is refused, so nothing was kept.
  }
}
