import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { primaryOf } from './disturbances.ts';

const lookEveryMs = 100;

export type Failover = { member: string; at: number };

/** Records when another member became the primary. */
export function watchPrimary(cluster: Pick<Cluster, 'members'>, until: AbortSignal) {
  const seen: Failover[] = [];
  let current: string | undefined;
  async function look() {
    while (!until.aborted) {
      const name = (await primaryOf(cluster))?.name;
      if (name && current && name !== current) seen.push({ member: name, at: performance.now() });
      current = name ?? current;
      await wait(lookEveryMs);
    }
  }
  const done = look();
  return { seen, done };
}

/** Milliseconds from each new primary until the first acknowledged write after it. */
export function untilWritten(failovers: readonly Failover[], acknowledgedAt: readonly number[]): number[] {
  return failovers.map(({ at }) => {
    const first = acknowledgedAt.find((moment) => moment > at);
    return first === undefined ? Number.POSITIVE_INFINITY : first - at;
  });
}
