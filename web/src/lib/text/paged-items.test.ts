import { expect, test } from 'vitest';
import { allItems } from './paged-items.ts';

test('returns an item of two pages once, at its first position', () => {
  const pages = [{ items: [{ id: 3 }, { id: 2 }] }, { items: [{ id: 2 }, { id: 1 }] }];
  expect(allItems({ pages })).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }]);
});
