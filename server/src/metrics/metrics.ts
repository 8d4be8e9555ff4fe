import type { TokenCounts } from '#server/provider/catalogue/catalogue';

/** Counters for the operator's monitoring: in memory only, with labels of bounded cardinality. */
export type Metrics = {
  /** `route`: its pattern, never a URL. */
  request: (method: string, route: string | undefined, status: number, seconds: number) => void;
  firstToken: (seconds: number) => void;
  /** From the arrival of an answer's piece until it is on the way to all of its readers. */
  passedOn: (seconds: number) => void;
  runEnded: (state: string, failure: string | undefined) => void;
  providerFailed: (code: string) => void;
  used: (usage: TokenCounts & { purpose: string; model: string; costUsd: number | null }) => void;
};

const nothing = () => undefined;

/** Counts nothing, for when metrics are off. */
export const noMetrics: Metrics = {
  request: nothing,
  firstToken: nothing,
  passedOn: nothing,
  runEnded: nothing,
  providerFailed: nothing,
  used: nothing,
};
