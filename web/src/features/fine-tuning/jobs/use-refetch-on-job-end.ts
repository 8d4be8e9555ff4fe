import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useEffect, useRef } from 'react';
import { isOpen, useRefetchedJobs } from '#web/api/fine-tuning.ts';

/** Refetches what depends on shown jobs when one ends: models and notices. */
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
