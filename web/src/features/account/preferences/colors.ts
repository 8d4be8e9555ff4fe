import { type ColorName, colorDefaults } from '@roster/contracts/account';
import { type Colors, parseColor } from '#web/lib/colors.ts';

/** The pickers, in their order. */
export const colorFields: readonly { name: ColorName; label: string }[] = [
  { name: 'backgroundColor', label: 'Background Color' },
  { name: 'foregroundColor', label: 'Text Color' },
  { name: 'primaryColor', label: 'Primary Color' },
  { name: 'accentColor', label: 'Accent Color' },
  { name: 'cardColor', label: 'Card Background' },
];

/** The pickers before anything is chosen, by the theme that is shown. */
export const themeColors: Readonly<Record<'light' | 'dark', Colors>> = {
  dark: colorDefaults,
  // As in styles/colors.css.
  light: {
    backgroundColor: '#fafafa',
    foregroundColor: '#18181b',
    primaryColor: '#3b82f6',
    accentColor: '#f97316',
    cardColor: '#ffffff',
  },
};

export type ColorErrors = { [Name in ColorName]?: string | undefined };

/** What is wrong with what was typed, by field. */
export function colorErrors(typed: Colors): ColorErrors {
  const wrong = colorFields.filter(({ name }) => parseColor(typed[name]) === undefined);
  return Object.fromEntries(
    wrong.map(({ name }) => [name, `Enter a color as # and six hexadecimal digits, such as ${colorDefaults[name]}`]),
  );
}

/** The typed colors; where one is not finished yet, what it was before. */
export function mergeTypedColors(typed: Colors, before: Colors): Colors {
  return {
    backgroundColor: parseColor(typed.backgroundColor) ?? before.backgroundColor,
    foregroundColor: parseColor(typed.foregroundColor) ?? before.foregroundColor,
    primaryColor: parseColor(typed.primaryColor) ?? before.primaryColor,
    accentColor: parseColor(typed.accentColor) ?? before.accentColor,
    cardColor: parseColor(typed.cardColor) ?? before.cardColor,
  };
}
