import { useSyncExternalStore } from 'react';
import { colorsKey } from './forget-colors.ts';

export const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

/** A person's own colors, worked out: CSS variables and their values, `#rrggbb` only. */
export type Palette = { scheme: 'light' | 'dark'; colors: Readonly<Record<string, string>> };

const themeKey = 'app-theme';
/** The theme of the account when this browser last heard of it: a different 'app-theme' is a choice not saved yet. */
const savedThemeKey = 'app-theme-saved';

const device = matchMedia('(prefers-color-scheme: light)');
const listeners = new Set<() => void>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is refused: the choice holds until the page is left.
  }
}

const asTheme = (text: string | null): Theme => themes.find((candidate) => candidate === text) ?? 'dark';

function readPalette(): Palette | null {
  try {
    const kept: Palette | null = JSON.parse(read(colorsKey) ?? 'null');
    return kept && Object.keys(kept.colors).length > 0 ? kept : null;
  } catch {
    return null;
  }
}

let theme = asTheme(read(themeKey));
let palette = readPalette();
/** What is shown instead for the moment; null: the theme's own colors. */
let preview: Palette | null | undefined;

/** Whether a choice comes out light on this device now. */
const isLight = (choice: Theme): boolean => choice === 'light' || (choice === 'system' && device.matches);

/** Puts a palette on an element through the style API; only `#rrggbb` ever gets there. */
export function paint(element: HTMLElement, next: Palette | null): void {
  const { style } = element;
  for (const name of [...style]) if (name.startsWith('--')) style.removeProperty(name);
  for (const [name, color] of Object.entries(next?.colors ?? {}))
    if (/^--[a-z-]+$/.test(name) && /^#[0-9a-f]{6}$/.test(color)) style.setProperty(name, color);
}

function apply() {
  const root = document.documentElement;
  const shown = preview === undefined ? palette : preview;
  paint(root, shown);
  if (shown) root.dataset.colors = 'custom';
  else delete root.dataset.colors;
  // The shades that a palette does not name follow its background, whatever theme is chosen.
  root.dataset.theme = shown ? shown.scheme : isLight(theme) ? 'light' : 'dark';
  for (const listener of listeners) listener();
}

/** Applies a theme at once and keeps it in this browser. */
export function setTheme(choice: Theme): void {
  theme = choice;
  write(themeKey, choice);
  apply();
}

/** Takes over the account's theme, unless another was chosen in this browser and has not been saved yet. */
export function adoptTheme(saved: Theme): void {
  const kept = read(themeKey);
  if (kept !== null && kept !== saved && kept !== read(savedThemeKey)) return;
  write(savedThemeKey, saved);
  if (kept !== saved) setTheme(saved);
}

/** Applies the account's own colors, or none, and keeps a copy for the next first paint. */
export function adoptColors(saved: Palette | null): void {
  const copy = saved && JSON.stringify(saved);
  if (copy === read(colorsKey) && JSON.stringify(palette) === JSON.stringify(saved)) return;
  palette = saved;
  write(colorsKey, copy);
  apply();
}

/** Shows colors (null: the theme's own) for viewing only; undefined shows the saved ones again. */
export function previewColors(colors: Palette | null | undefined): void {
  if (preview === colors) return;
  preview = colors;
  apply();
}

device.addEventListener('change', apply);
addEventListener('storage', ({ key }) => {
  if (key === themeKey) theme = asTheme(read(themeKey));
  else if (key === colorsKey) palette = readPalette();
  else return;
  apply();
});

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const chosenTheme = () => theme;
const shownTheme = () => (isLight(theme) ? 'light' : 'dark');

/** The chosen theme, and what it comes out as where no colors of one's own are over it. */
export function useTheme(): { theme: Theme; shown: 'light' | 'dark' } {
  const choice = useSyncExternalStore(subscribe, chosenTheme, chosenTheme);
  const shown = useSyncExternalStore(subscribe, shownTheme, shownTheme);
  return { theme: choice, shown };
}
