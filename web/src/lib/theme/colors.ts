import type { ColorName } from '@roster/contracts/account';
import type { Palette } from './theme.ts';

export type Colors = Record<ColorName, string>;

/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
export const minTextContrast = 4.5;
/** Minimum contrast of non-text, such as focus rings (WCAG 2.2, 1.4.11). */
const leastOutline = 3;

/** Normalizes to '#rrggbb' in lower case; undefined if the text is no such color. */
export function parseColor(text: string): string | undefined {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : undefined;
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG contrast ratio, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** '4.49:1'; truncated, so that a ratio below a limit never reads as meeting it. */
export const formatContrast = (ratio: number): string => `${(Math.floor(ratio * 100) / 100).toFixed(2)}:1`;

/** Black or white, whichever is more readable on a color. */
export const readableTextColor = (color: string): string =>
  contrast(color, '#000000') >= contrast(color, '#ffffff') ? '#000000' : '#ffffff';

/** `color` with a share of `over` blended in. */
function mix(color: string, over: string, share: number): string {
  const top = channels(over);
  const mixed = channels(color).map((channel, index) => channel + ((top[index] ?? 0) - channel) * share);
  return `#${mixed.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes in as little of `text` as makes `color` readable on every surface. */
function makeReadable(color: string, text: string, surfaces: readonly string[], least = minTextContrast): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, text, share);
    if (surfaces.every((surface) => contrast(mixed, surface) >= least)) return mixed;
  }
  return text;
}

/** Status colors; their shade is adapted to the palette. */
const statusColors = { destructive: '#ef4444', success: '#22c55e', warning: '#eab308', violet: '#a855f7' };
/** Opacity of a badge's background. */
const tint = 0.14;

/** Derives all colors from the five chosen ones, as readable as those allow. */
export function derivePalette(colors: Colors): Palette {
  const { backgroundColor: background, foregroundColor: text, primaryColor: primary, accentColor: accent } = colors;
  const plain = [background, colors.cardColor];
  const surfaces = [...plain, ...plain.map((surface) => mix(surface, text, 0.1))];
  const onTint = (color: string) =>
    makeReadable(color, text, [...surfaces, ...plain.map((surface) => mix(surface, color, tint))]);
  const meaningTexts = Object.entries(statusColors).map(([name, color]) => [`--${name}-text`, onTint(color)]);
  return {
    scheme: readableTextColor(background) === '#000000' ? 'light' : 'dark',
    colors: {
      '--background': background,
      '--foreground': text,
      '--card': colors.cardColor,
      '--primary': primary,
      '--primary-foreground': readableTextColor(primary),
      '--primary-shade': readableTextColor(primary) === '#000000' ? '#ffffff' : '#000000',
      '--primary-text': onTint(primary),
      '--accent': accent,
      '--accent-foreground': readableTextColor(accent),
      '--accent-text': onTint(accent),
      '--muted-foreground': makeReadable(mix(background, text, 0.66), text, surfaces),
      '--faint-foreground': makeReadable(mix(background, text, 0.56), text, surfaces),
      '--ring': makeReadable(primary, text, plain, leastOutline),
      ...Object.fromEntries(meaningTexts),
    },
  };
}

/** Contrast ratios of text and surfaces, in the order of the pickers. */
export function contrastReport(colors: Colors): { what: string; ratio: number }[] {
  const { backgroundColor, foregroundColor, primaryColor, accentColor, cardColor } = colors;
  return [
    { what: 'Text on the background', ratio: contrast(foregroundColor, backgroundColor) },
    { what: 'Text on cards', ratio: contrast(foregroundColor, cardColor) },
    { what: 'Text on the primary color', ratio: contrast(readableTextColor(primaryColor), primaryColor) },
    { what: 'Text on the accent color', ratio: contrast(readableTextColor(accentColor), accentColor) },
  ];
}
