import { expect, test } from 'vitest';
import { describeChange } from './change.ts';

test.each([
  [12, 10, 'up', 'up 20%'],
  [8, 10, 'down', 'down 20%'],
  [0, 10, 'down', 'down 100%'],
  [10, 10, 'same', 'no change'],
  [0.1 + 0.2, 0.3, 'same', 'no change'],
  [10.04, 10, 'up', 'up less than 1%'],
  [130, 10, 'up', 'up to 13 times the amount'],
  [5, 0, 'none', 'no earlier data'],
  [0, 0, 'none', 'no earlier data'],
  [null, 10, 'none', 'cannot be compared'],
  [10, null, 'none', 'cannot be compared'],
])('compares %s with %s: %s', (now, before, direction, text) =>
  expect(describeChange(now, before)).toEqual({ direction, text }),
);
