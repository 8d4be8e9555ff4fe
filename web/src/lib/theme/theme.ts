import { readStored, readStoredJson, writeStored } from '#web/lib/storage/storage.ts';
import { createStore, useStore } from '#web/lib/store.ts';
import { colorsKey } from './forget-colors.ts';

export const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

/** Computed custom colors: CSS variables and values, `#rrggbb` only. */
export type Palette = { scheme: 'light' | 'dark'; colors: Readonly<Record<string, string>> };

const themeKey = 'app-theme';
/** The account's theme as this browser last saw it. If 'app-theme' differs, it is a choice not yet saved. */
const savedThemeKey = 'app-theme-saved';

const device = matchMedia('(prefers-color-scheme: light)');

const asTheme = (text: string | null): Theme => themes.find((candidate) => candidate === text) ?? 'dark';

/** As written by `adoptColors`; any other stored value counts as no colors. */
const isPalette = (kept: unknown): kept is Palette =>
  typeof kept === 'object' && kept !== null && 'colors' in kept && Object.keys(kept.colors ?? {}).length > 0;

function readPalette(): Palette | null {
  const kept = readStoredJson(colorsKey);
  return isPalette(kept) ? kept : null;
}

let palette = readPalette();
/** Temporary colors; null: the theme's own. */
let preview: Palette | null | undefined;

/** The shade that a theme has on this device. */
const shadeOf = (choice: Theme) => (choice === 'light' || (choice === 'system' && device.matches) ? 'light' : 'dark');

const theme = createStore(asTheme(readStored(themeKey)));
const shade = createStore<'light' | 'dark'>(shadeOf(theme.get()));

/** Sets a palette on an element through the style API; only `#rrggbb` values reach it. */
export function applyPalette(element: HTMLElement, next: Palette | null): void {
  const { style } = element;
  for (const name of [...style]) if (name.startsWith('--')) style.removeProperty(name);
  for (const [name, color] of Object.entries(next?.colors ?? {}))
    if (/^--[a-z-]+$/.test(name) && /^#[0-9a-f]{6}$/.test(color)) style.setProperty(name, color);
}

function apply() {
  const root = document.documentElement;
  const shown = preview === undefined ? palette : preview;
  applyPalette(root, shown);
  if (shown) root.dataset.colors = 'custom';
  else delete root.dataset.colors;
  // Shades that a palette does not define follow its background, whatever the theme.
  root.dataset.theme = shown ? shown.scheme : shadeOf(theme.get());
  shade.set(shadeOf(theme.get()));
}

/** Applies a theme at once and stores it in this browser. */
export function setTheme(choice: Theme): void {
  theme.set(choice);
  writeStored(themeKey, choice);
  apply();
}

/** Applies the account's theme, unless this browser has an unsaved choice. */
export function applySavedTheme(saved: Theme): void {
  const kept = readStored(themeKey);
  if (kept !== null && kept !== saved && kept !== readStored(savedThemeKey)) return;
  writeStored(savedThemeKey, saved);
  if (kept !== saved) setTheme(saved);
}

/** Applies the account's custom colors, or none, and stores a copy for the next first paint. */
export function applySavedColors(saved: Palette | null): void {
  const copy = saved && JSON.stringify(saved);
  if (copy === readStored(colorsKey) && JSON.stringify(palette) === JSON.stringify(saved)) return;
  palette = saved;
  writeStored(colorsKey, copy);
  apply();
}

/** Previews colors (null: the theme's own); undefined returns to the saved ones. */
export function previewColors(colors: Palette | null | undefined): void {
  if (preview === colors) return;
  preview = colors;
  apply();
}

device.addEventListener('change', apply);
addEventListener('storage', ({ key }) => {
  if (key === themeKey) theme.set(asTheme(readStored(themeKey)));
  else if (key === colorsKey) palette = readPalette();
  else return;
  apply();
});

// The device setting may have changed while this file was loading; a palette overrides it.
const { dataset } = document.documentElement;
if (dataset.colors === undefined) dataset.theme = shade.get();

/** The chosen theme, and the shade it has without custom colors. */
export function useTheme(): { theme: Theme; shown: 'light' | 'dark' } {
  return { theme: useStore(theme), shown: useStore(shade) };
}
