import { readFileSync } from 'node:fs';

/** How long a process has waited for a processor, in ms; 0 if the system does not report it. */
export function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Milliseconds on a clock that stops while this process waits for a processor: time limits are promised by Roster, not
 * by a busy machine.
 */
export const ownTime = () => performance.now() - waitedForProcessor(process.pid);
