import { pages } from '@roster/contracts/page-paths';
import { expect, test } from 'vitest';
import { router } from './router.tsx';

test('matches the pages that the server knows', () => {
  const routed = Object.keys(router.routesByPath).map((path) => path.replaceAll('$', ':'));
  expect(routed.toSorted()).toEqual(pages.toSorted());
});
