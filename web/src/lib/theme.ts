import { useSyncExternalStore } from 'react';

export const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'app-theme';
const device = window.matchMedia('(prefers-color-scheme: light)');
const listeners = new Set<() => void>();

function readStored(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === stored) ?? 'dark';
  } catch {
    return 'dark';
  }
}

let theme = readStored();

/** Whether a choice comes out light on this device now. */
const isLight = (choice: Theme): boolean => choice === 'light' || (choice === 'system' && device.matches);

function apply() {
  document.documentElement.dataset.theme = isLight(theme) ? 'light' : 'dark';
  for (const listener of listeners) listener();
}

/** Applies a theme at once and keeps it in this browser. */
export function setTheme(choice: Theme): void {
  theme = choice;
  try {
    localStorage.setItem(storageKey, choice);
  } catch {
    // Storage is refused: the choice holds until the page is left.
  }
  apply();
}

device.addEventListener('change', apply);
window.addEventListener('storage', (event) => {
  if (event.key !== storageKey) return;
  theme = readStored();
  apply();
});

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen theme, and what it comes out as. */
export function useTheme(): { theme: Theme; shown: 'light' | 'dark' } {
  const choice = useSyncExternalStore(subscribe, () => theme);
  const shown = useSyncExternalStore(subscribe, () => (isLight(theme) ? 'light' : 'dark'));
  return { theme: choice, shown };
}
