import { expect, test } from 'vitest';
import { findByPrefix, nextIndex } from './menu-keys.ts';

test('wraps around, and starts at the nearest end', () => {
  expect(nextIndex('ArrowDown', 2, 3)).toBe(0);
  expect(nextIndex('ArrowDown', -1, 3)).toBe(0);
  expect(nextIndex('ArrowUp', 0, 3)).toBe(2);
  expect(nextIndex('ArrowUp', -1, 3)).toBe(2);
  expect(nextIndex('End', 0, 3)).toBe(2);
  expect(nextIndex('x', 0, 3)).toBeUndefined();
  expect(nextIndex('ArrowDown', -1, 0)).toBeUndefined();
});

const labels = ['Rename', 'Pin', 'Archive', 'Remove'];
test('finds the next item that starts with the typed letters', () => {
  expect(findByPrefix('r', labels, -1)).toBe(0);
  expect(findByPrefix('r', labels, 0)).toBe(3);
  expect(findByPrefix('rem', labels, 3)).toBe(3);
  expect(findByPrefix('x', labels, 0)).toBeUndefined();
});
