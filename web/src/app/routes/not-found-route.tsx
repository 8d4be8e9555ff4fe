import { lazyPart } from '#web/lib/lazy.ts';

/** Loaded on demand: most addresses exist. */
export const NotFound = lazyPart(async () => (await import('#web/app/not-found.tsx')).NotFoundPage);
