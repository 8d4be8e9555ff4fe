import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useEffect, useRef } from 'react';
import { isOpen, useRefetchedJobs } from '#web/api/fine-tuning.ts';

/** Once a shown job has ended, the queries that depend on it are read again: its model, and the notices of its end. */
export function useRefetchOnJobEnd(jobs: readonly Job[]): void {
  const refetch = useRefetchedJobs();
  const latest = useRef(refetch);
  useEffect(() => {
    latest.current = refetch;
  });
  const open = jobs
    .filter(isOpen)
    .map(({ id }) => id)
    .join();
  const before = useRef(open);
  useEffect(() => {
    const still = new Set(open.split(','));
    const hasEnded = before.current !== '' && before.current.split(',').some((id) => !still.has(id));
    before.current = open;
    if (hasEnded) void latest.current();
  }, [open]);
}
