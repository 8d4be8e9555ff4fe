import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileAddress } from '#web/api/files.ts';

/** Largest image, in bytes, loaded for a thumbnail. */
export const maxThumbnailBytes = 5_242_880;

/** Object URL of an image; bytes are fetched only while it is shown. null without a file. */
export const useImageUrl = (id: number | null): string | null => useImage(id).url;

/** The same, with a flag for failure. */
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
