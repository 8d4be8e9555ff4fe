import * as React from 'react';

/**
 * React's development build records a stack for each of the first 10,000 elements a second, to name in warnings the
 * component that created one. That takes 7 % of the time of component tests, and no test reads it. React has no option
 * for that, only the count in an internal object; if that is renamed, tests only become slower again.
 */
for (const [name, internals] of Object.entries(React)) {
  if (!name.startsWith('__CLIENT_INTERNALS') || typeof internals !== 'object' || internals === null) continue;
  Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set: () => undefined });
}
