import { useEffect, useState } from 'react';

/** Debounces a text, so that not every key sends a request. */
export function useDebouncedText(text: string, delay: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), delay);
    return () => clearTimeout(timer);
  }, [text, delay]);
  return settled;
}
