import { useQuery } from '@tanstack/react-query';
import { readPreview } from '#web/lib/file-preview.ts';
import { readFile } from './files.ts';

/** Preview of a stored file. Not cached, because it may be megabytes. */
export const useFilePreview = (id: number, filename: string) =>
  useQuery({
    queryKey: ['file-preview', id],
    queryFn: async ({ signal }) => readPreview(filename, await readFile(id, signal)),
    gcTime: 0,
  });
