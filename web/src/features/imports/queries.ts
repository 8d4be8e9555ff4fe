import { type Import, imports } from '@roster/contracts/imports';
import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, urlOf } from '#web/lib/api-client.ts';
import { sendFile } from '#web/lib/send-file.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

const pollMs = 1_000;
const pageSize = 20;
/** Cursor of the first page. */
const start = '';

export const isInProgress = ({ state }: Import): boolean =>
  state === 'reading' || state === 'importing' || state === 'undoing';

export const importsQuery = infiniteQueryOptions({
  queryKey: ['imports'],
  queryFn: ({ pageParam, signal }) =>
    call(imports.list, { query: { limit: pageSize, ...(pageParam === start ? {} : { cursor: pageParam }) } }, signal),
  initialPageParam: start,
  getNextPageParam: ({ nextCursor }) => nextCursor,
  refetchOnMount: 'always',
  refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isInProgress)) ? pollMs : false),
});

/** Shows what an import has brought or an undo has removed, once it has ended. */
export function useFreshThreads(all: Import[]) {
  const client = useQueryClient();
  const running = all.filter(({ state }) => state === 'importing' || state === 'undoing').length;
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) void client.invalidateQueries({ queryKey: ['threads'] });
    before.current = running;
  }, [client, running]);
}

type Upload = { file: File; signal: AbortSignal; onProgress: (sent: number) => void };

export function useUpload() {
  const refetch = useRefetch(importsQuery.queryKey);
  return useMutation({
    mutationFn: ({ file, ...more }: Upload): Promise<Import> => {
      const form = new FormData();
      form.set('file', file, file.name);
      return sendFile({
        method: imports.create.method,
        url: urlOf(imports.create, {}),
        form,
        size: file.size,
        ...more,
      });
    },
    onSettled: refetch,
  });
}

export function useStart() {
  const refetch = useRefetch(importsQuery.queryKey);
  return useMutation({ mutationFn: (id: number) => call(imports.start, { params: { id } }), onSettled: refetch });
}

export function useCancel() {
  const refetch = useRefetch(importsQuery.queryKey);
  return useMutation({ mutationFn: (id: number) => call(imports.cancel, { params: { id } }), onSettled: refetch });
}

export function useUndo() {
  const refetch = useRefetch(importsQuery.queryKey);
  return useMutation({ mutationFn: (id: number) => call(imports.undo, { params: { id } }), onSettled: refetch });
}
