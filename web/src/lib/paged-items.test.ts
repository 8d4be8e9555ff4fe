import { expect, test } from 'vitest';
import { itemsOf } from './paged-items.ts';

test('an item that two pages hold stands once, in its first place', () => {
  const pages = [{ items: [{ id: 3 }, { id: 2 }] }, { items: [{ id: 2 }, { id: 1 }] }];
  expect(itemsOf({ pages })).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }]);
});
