import { expect, test } from 'vitest';
import { formatShare } from './share.ts';

test.each([
  [1, 4, '25%'],
  [0, 4, '0%'],
  [0, 0, '0%'],
  [1, 1000, '<1%'],
  [999, 1000, '>99%'],
  [4, 4, '100%'],
  [6, 4, '150%'],
])('formats %s of %s as %s', (part, whole, text) => expect(formatShare(part, whole)).toBe(text));
