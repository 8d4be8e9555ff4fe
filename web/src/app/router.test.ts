import { pages } from '@roster/contracts/page-paths';
import { expect, test } from 'vitest';
import { router } from './router.tsx';

test('the server knows every page, and no other', () => {
  const routed = Object.keys(router.routesByPath).map((path) => path.replaceAll('$', ':'));
  expect(routed.toSorted()).toEqual(pages.toSorted());
});
