/** Records what the users of a run experience, as it happens. */
export function newFigures() {
  return {
    /** Requests by response status; `none`: no response. */
    statuses: new Map<string, number>(),
    requests: 0,
    /** Requests that needed retries, and the number of retries. */
    retried: 0,
    retries: 0,
    /** When writes were acknowledged, in order. */
    acknowledgedAt: [] as number[],
    /** From a user's first try until the final response, in milliseconds. */
    longestGapMs: 0,
    /** How long it took each time to receive a 503. */
    answered503Ms: [] as number[],
    streams: { whole: 0, cut: 0, reconnections: 0 },
    /** Violations. */
    faults: [] as string[],
  };
}

export type Figures = ReturnType<typeof newFigures>;

export function count(of: Map<string, number>, what: string | number) {
  of.set(String(what), (of.get(String(what)) ?? 0) + 1);
}
