import type { File } from '@roster/contracts/files/files';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type FilesView, isInTransit, refreshFilesInTransit } from '#web/api/files.ts';

const firstAfter = 1_000;
const lastAfter = 30_000;

/** Polls files in transit to the provider, with growing intervals while nothing changes. */
export function usePollForwarding(view: FilesView, files: readonly File[]): void {
  const client = useQueryClient();
  const onTheirWay = files
    .filter(isInTransit)
    .map(({ id, provider }) => `${id} ${provider.state}`)
    .join();
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
  });
  useEffect(() => {
    if (onTheirWay === '') return;
    let timer: ReturnType<typeof setTimeout>;
    const lookAfter = (delay: number) => {
      timer = setTimeout(async () => {
        // Ignore failures: polling continues, and the list stays valid.
        await refreshFilesInTransit(client, latest.current).catch(() => undefined);
        if (!isOver) lookAfter(Math.min(delay * 1.6, lastAfter));
      }, delay);
    };
    let isOver = false;
    lookAfter(firstAfter);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, onTheirWay]);
}
