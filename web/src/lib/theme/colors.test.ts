import { colorDefaults } from '@roster/contracts/account';
import { describe, expect, test } from 'vitest';
import {
  type Colors,
  contrast,
  contrastReport,
  derivePalette,
  formatContrast,
  parseColor,
  readableTextColor,
} from './colors.ts';

describe('contrast', () => {
  test('computes the WCAG ratio in either order', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#ffffff', '#767676')).toBeCloseTo(4.54, 2);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#3b82f6', '#3b82f6')).toBe(1);
  });

  test('never rounds a ratio up', () => {
    expect(formatContrast(4.4999)).toBe('4.49:1');
    expect(formatContrast(21)).toBe('21.00:1');
  });

  test('names what is hard to read', () => {
    const low = contrastReport({ ...colorDefaults, foregroundColor: '#333333', cardColor: '#111111' });
    expect(low.filter(({ ratio }) => ratio < 4.5).map(({ what }) => what)).toEqual([
      'Text on the background',
      'Text on cards',
    ]);
  });
});

test('finds black or white readable on any color', () => {
  for (let shade = 0; shade < 256; shade += 5) {
    const hex = shade.toString(16).padStart(2, '0');
    for (const color of [`#${hex}${hex}${hex}`, `#${hex}80${hex}`, `#ff${hex}00`])
      expect(contrast(color, readableTextColor(color))).toBeGreaterThan(4.5);
  }
});

test.each([
  ['#3B82F6', '#3b82f6'],
  [' #3b82f6 ', '#3b82f6'],
  ['#fff', undefined],
  ['red', undefined],
  ['#3b82f6; background: url(//evil)', undefined],
  ['', undefined],
])('parses %s as color %s', (typed, color) => expect(parseColor(typed)).toBe(color));

describe('palette', () => {
  const palettes: [string, Colors][] = [
    ['the defaults', colorDefaults],
    [
      'light paper',
      {
        backgroundColor: '#fdf6e3',
        foregroundColor: '#2b3a42',
        primaryColor: '#d9f99d',
        accentColor: '#fde047',
        cardColor: '#eee8d5',
      },
    ],
    [
      'a middle grey',
      {
        backgroundColor: '#5a5a5a',
        foregroundColor: '#ffffff',
        primaryColor: '#5a5a5a',
        accentColor: '#606060',
        cardColor: '#4a4a4a',
      },
    ],
  ];

  test.each(palettes)('is readable in everything derived from %s', (_name, colors) => {
    const { colors: derived } = derivePalette(colors);
    const texts = Object.entries(derived).filter(([name]) => /-text$|muted-foreground|faint-foreground/.test(name));
    expect(texts).toHaveLength(8);
    for (const [name, color] of texts)
      for (const surface of [colors.backgroundColor, colors.cardColor])
        expect(contrast(color, surface), name).toBeGreaterThanOrEqual(4.5);
    expect(contrast(derived['--ring'] ?? '', colors.backgroundColor)).toBeGreaterThanOrEqual(3);
    expect(contrast(derived['--primary-foreground'] ?? '', colors.primaryColor)).toBeGreaterThanOrEqual(4.5);
  });

  test('contains only colors, and knows whether it is light', () => {
    for (const [, colors] of palettes)
      for (const color of Object.values(derivePalette(colors).colors)) expect(color).toMatch(/^#[0-9a-f]{6}$/);
    expect(palettes.map(([, colors]) => derivePalette(colors).scheme)).toEqual(['dark', 'light', 'dark']);
  });
});
