import { expect, test } from 'vitest';
import { safeReturnPath } from './return-path.ts';

test.each(['/chat/12', '/settings?tab=assistants&view=import', '/'])('accepts %s', (path) =>
  expect(safeReturnPath(path)).toBe(path),
);

test.each([
  undefined,
  '',
  'chat',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  '/a\\b',
  '/\t/evil.example',
])('replaces %s with the home page', (path) => expect(safeReturnPath(path)).toBe('/'));
