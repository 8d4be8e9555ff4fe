/** Time limits of tool servers. */
export type ToolTimeouts = {
  /** To list its tools. */
  lookMs: number;
  /** For a command to start and list its tools. */
  startMs: number;
  /** For one call, with everything that belongs to it. */
  callMs: number;
  /** To describe its sign-in, or to issue or renew tokens. */
  signInMs: number;
  /** A command is stopped after this time without a call. */
  idleMs: number;
  /** To end a session, which nobody waits for. */
  endMs: number;
};

export const defaultToolTimeouts: ToolTimeouts = {
  lookMs: 20_000,
  startMs: 60_000,
  callMs: 60_000,
  signInMs: 15_000,
  idleMs: 5 * 60_000,
  endMs: 2_000,
};
