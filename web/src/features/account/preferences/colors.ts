import { type ColorName, colorDefaults } from '@roster/contracts/account';
import { type Colors, parseColor } from '#web/lib/theme/colors.ts';

/** Color fields in order. */
export const colorFields: readonly { name: ColorName; label: string }[] = [
  { name: 'backgroundColor', label: 'Background Color' },
  { name: 'foregroundColor', label: 'Text Color' },
  { name: 'primaryColor', label: 'Primary Color' },
  { name: 'accentColor', label: 'Accent Color' },
  { name: 'cardColor', label: 'Card Background' },
];

/** Initial colors of the pickers, by theme. */
export const themeColors: Readonly<Record<'light' | 'dark', Colors>> = {
  dark: colorDefaults,
  // Same as in styles/colors.css.
  light: {
    backgroundColor: '#fafafa',
    foregroundColor: '#18181b',
    primaryColor: '#3b82f6',
    accentColor: '#f97316',
    cardColor: '#ffffff',
  },
};

export type ColorErrors = { [Name in ColorName]?: string | undefined };

/** Errors by field. */
export function colorErrors(typed: Colors): ColorErrors {
  const wrong = colorFields.filter(({ name }) => parseColor(typed[name]) === undefined);
  return Object.fromEntries(
    wrong.map(({ name }) => [name, `Enter a color as # and six hexadecimal digits, such as ${colorDefaults[name]}`]),
  );
}

/** The typed colors; an unfinished one keeps its previous value. */
export function mergeTypedColors(typed: Colors, before: Colors): Colors {
  return {
    backgroundColor: parseColor(typed.backgroundColor) ?? before.backgroundColor,
    foregroundColor: parseColor(typed.foregroundColor) ?? before.foregroundColor,
    primaryColor: parseColor(typed.primaryColor) ?? before.primaryColor,
    accentColor: parseColor(typed.accentColor) ?? before.accentColor,
    cardColor: parseColor(typed.cardColor) ?? before.cardColor,
  };
}
