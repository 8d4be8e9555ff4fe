import { colorsKey } from './forget-colors.ts';
import { readStored, readStoredJson, writeStored } from './storage.ts';
import { createStore, useStore } from './store.ts';

export const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

/** A person's own colors, worked out: CSS variables and their values, `#rrggbb` only. */
export type Palette = { scheme: 'light' | 'dark'; colors: Readonly<Record<string, string>> };

const themeKey = 'app-theme';
/** The theme of the account when this browser last heard of it: a different 'app-theme' is a choice not saved yet. */
const savedThemeKey = 'app-theme-saved';

const device = matchMedia('(prefers-color-scheme: light)');

const asTheme = (text: string | null): Theme => themes.find((candidate) => candidate === text) ?? 'dark';

/** As `adoptColors` wrote it; whatever else may stand there has no colors. */
const isPalette = (kept: unknown): kept is Palette =>
  typeof kept === 'object' && kept !== null && 'colors' in kept && Object.keys(kept.colors ?? {}).length > 0;

function readPalette(): Palette | null {
  const kept = readStoredJson(colorsKey);
  return isPalette(kept) ? kept : null;
}

let palette = readPalette();
/** What is shown instead for the moment; null: the theme's own colors. */
let preview: Palette | null | undefined;

/** What a choice comes out as on this device now. */
const shadeOf = (choice: Theme) => (choice === 'light' || (choice === 'system' && device.matches) ? 'light' : 'dark');

const theme = createStore(asTheme(readStored(themeKey)));
const shade = createStore<'light' | 'dark'>(shadeOf(theme.get()));

/** Puts a palette on an element through the style API; only `#rrggbb` ever gets there. */
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
  // The shades that a palette does not name follow its background, whatever theme is chosen.
  root.dataset.theme = shown ? shown.scheme : shadeOf(theme.get());
  shade.set(shadeOf(theme.get()));
}

/** Applies a theme at once and keeps it in this browser. */
export function setTheme(choice: Theme): void {
  theme.set(choice);
  writeStored(themeKey, choice);
  apply();
}

/** Takes over the account's theme, unless another was chosen in this browser and has not been saved yet. */
export function applySavedTheme(saved: Theme): void {
  const kept = readStored(themeKey);
  if (kept !== null && kept !== saved && kept !== readStored(savedThemeKey)) return;
  writeStored(savedThemeKey, saved);
  if (kept !== saved) setTheme(saved);
}

/** Applies the account's own colors, or none, and keeps a copy for the next first paint. */
export function applySavedColors(saved: Palette | null): void {
  const copy = saved && JSON.stringify(saved);
  if (copy === readStored(colorsKey) && JSON.stringify(palette) === JSON.stringify(saved)) return;
  palette = saved;
  writeStored(colorsKey, copy);
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
  if (key === themeKey) theme.set(asTheme(readStored(themeKey)));
  else if (key === colorsKey) palette = readPalette();
  else return;
  apply();
});

// What the device became while this file was on its way; a palette is over it.
const { dataset } = document.documentElement;
if (dataset.colors === undefined) dataset.theme = shade.get();

/** The chosen theme, and what it comes out as where no colors of one's own are over it. */
export function useTheme(): { theme: Theme; shown: 'light' | 'dark' } {
  return { theme: useStore(theme), shown: useStore(shade) };
}
