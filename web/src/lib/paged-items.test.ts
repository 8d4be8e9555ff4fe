import { expect, test } from 'vitest';
import { allItems } from './paged-items.ts';

test('an item that two pages hold stands once, in its first place', () => {
  const pages = [{ items: [{ id: 3 }, { id: 2 }] }, { items: [{ id: 2 }, { id: 1 }] }];
  expect(allItems({ pages })).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }]);
});
