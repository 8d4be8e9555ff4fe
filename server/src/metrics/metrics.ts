import type { TokenCounts } from '#server/provider/catalogue/catalogue';

/** What is counted for the operator's monitoring: in memory only, with labels of which there is a known, small number. */
export type Metrics = {
  /** `route`: its pattern, never an address. */
  request: (method: string, route: string | undefined, status: number, seconds: number) => void;
  firstToken: (seconds: number) => void;
  /** From what has arrived of an answer to its being on the way to all of its readers. */
  passedOn: (seconds: number) => void;
  runEnded: (state: string, failure: string | undefined) => void;
  providerFailed: (code: string) => void;
  used: (usage: TokenCounts & { purpose: string; model: string; costUsd: number | null }) => void;
};

const nothing = () => undefined;

/** Where nobody asks for metrics nothing is counted. */
export const noMetrics: Metrics = {
  request: nothing,
  firstToken: nothing,
  passedOn: nothing,
  runEnded: nothing,
  providerFailed: nothing,
  used: nothing,
};
