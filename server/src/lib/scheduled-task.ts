export const hourMs = 60 * 60_000;

/** Work that each process repeats at intervals; it may run in several processes at once. */
export type ScheduledTask = {
  everyMs: number;
  /** Also when the server starts. */
  atStart?: boolean;
  run: () => Promise<unknown>;
};
