import { useRef } from 'react';

/** Loads further pages of a list, one at a time. What could not be loaded is asked for again with the next movement. */
export function useLoadMore(load: () => Promise<void> | undefined): () => void {
  const isLoading = useRef(false);
  return () => {
    if (isLoading.current) return;
    const loading = load();
    if (!loading) return;
    isLoading.current = true;
    loading
      .catch(() => undefined)
      .finally(() => {
        isLoading.current = false;
      });
  };
}
