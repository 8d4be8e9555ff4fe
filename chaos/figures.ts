/** What the people of a run have met, noted as it happens. */
export function newFigures() {
  return {
    /** Answered requests by their status; `none` is where no response came. */
    statuses: new Map<string, number>(),
    requests: 0,
    /** Requests that had to be made more than once, and how often in all. */
    retried: 0,
    retries: 0,
    /** When a write was acknowledged, in the order of time. */
    acknowledgedAt: [] as number[],
    /** From a person's first try until the answer that counts, in milliseconds. */
    longestGapMs: 0,
    /** How long it took each time to be told that something is away. */
    told503Ms: [] as number[],
    streams: { whole: 0, cut: 0, reconnections: 0 },
    /** What must not be. */
    faults: [] as string[],
  };
}

export type Figures = ReturnType<typeof newFigures>;

export function count(of: Map<string, number>, what: string | number) {
  of.set(String(what), (of.get(String(what)) ?? 0) + 1);
}
