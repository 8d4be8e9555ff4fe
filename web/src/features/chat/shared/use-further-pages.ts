import { useRef } from 'react';

/** Loads further pages of a list, one at a time. A failed one is requested again on the next scroll. */
export function useFurtherPages(load: () => Promise<void> | undefined): () => void {
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
