import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileAddress } from '#web/api/files.ts';

/** A larger image is not worth loading for a thumbnail. */
export const maxThumbnailBytes = 5_242_880;

/**
 * The bytes are fetched only for what is on the page, and shown through an address that only this page knows.
 * Without a file there is no picture.
 */
export const useImageUrl = (id: number | null): string | null => useImage(id).url;

/** The same, and whether it cannot be had. */
export function useImage(id: number | null): { url: string | null; isMissing: boolean } {
  const { data, isError } = useQuery({
    queryKey: ['file-picture', id],
    queryFn: async ({ signal }) => {
      if (id === null) return null;
      const answer = await fetch(fileAddress(id), { signal });
      return answer.ok ? answer.blob() : null;
    },
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { url: data ? url : null, isMissing: isError || data === null };
}
