import { readFileSync } from 'node:fs';

/** How long a process has waited so far for a processor that others had, in ms; 0 where the system does not say. */
export function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Milliseconds on a clock that stands while this process waits for a processor: what is promised in seconds is promised
 * of Roster, not of a machine that is busy with other things.
 */
export const ownTime = () => performance.now() - waitedForProcessor(process.pid);
