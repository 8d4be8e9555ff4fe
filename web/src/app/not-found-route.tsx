import { lazy, Suspense } from 'react';

const NotFoundPage = lazy(async () => ({ default: (await import('./not-found.tsx')).NotFoundPage }));

/** Its code is loaded when it is needed: most addresses are right. */
export const NotFound = () => (
  <Suspense>
    <NotFoundPage />
  </Suspense>
);
