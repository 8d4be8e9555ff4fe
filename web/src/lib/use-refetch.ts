import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Returns a function that refetches the queries under these keys, and resolves when those on the page are loaded. */
export function useRefetch(...keys: readonly QueryKey[]) {
  const client = useQueryClient();
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
