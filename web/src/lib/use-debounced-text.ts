import { useEffect, useState } from 'react';

/** The text after it has stayed the same for a moment, so that not every key asks the server. */
export function useDebouncedText(text: string, delay: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), delay);
    return () => clearTimeout(timer);
  }, [text, delay]);
  return settled;
}
