import { expect, test } from 'vitest';
import { nextItem, typedItem } from './menu-keys.ts';

test('arrows go round, from nowhere to the nearest end', () => {
  expect(nextItem('ArrowDown', 2, 3)).toBe(0);
  expect(nextItem('ArrowDown', -1, 3)).toBe(0);
  expect(nextItem('ArrowUp', 0, 3)).toBe(2);
  expect(nextItem('ArrowUp', -1, 3)).toBe(2);
  expect(nextItem('End', 0, 3)).toBe(2);
  expect(nextItem('x', 0, 3)).toBeUndefined();
  expect(nextItem('ArrowDown', -1, 0)).toBeUndefined();
});

const labels = ['Rename', 'Pin', 'Archive', 'Remove'];
test('typed letters lead to the next item that begins with them', () => {
  expect(typedItem('r', labels, -1)).toBe(0);
  expect(typedItem('r', labels, 0)).toBe(3);
  expect(typedItem('rem', labels, 3)).toBe(3);
  expect(typedItem('x', labels, 0)).toBeUndefined();
});
