import { expect, test } from 'vitest';
import { safeLink } from './safe-link.ts';

test.each([
  ['https://a.example/b?c=d#e', 'https://a.example/b?c=d#e'],
  ['HTTP://A.example', 'http://a.example/'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
])('%s may be followed', (address, href) => expect(safeLink(address)).toBe(href));

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'https:evil.example',
  'https://',
  'data:text/html,x',
  'blob:https://a.example/1',
  'file:///etc/passwd',
  '/settings',
  '#top',
  '//evil.example',
  '',
])('%j may not', (address) => expect(safeLink(address)).toBeNull());
