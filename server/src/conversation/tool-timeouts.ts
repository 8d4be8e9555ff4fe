/** How long a tool server may take. */
export type ToolTimeouts = {
  /** To say which tools it has. */
  lookMs: number;
  /** For a command to start and say which tools it has. */
  startMs: number;
  /** For one call, with all that belongs to it. */
  callMs: number;
  /** To say how one signs in there, or to give or renew tokens. */
  signInMs: number;
  /** After so long without a call a command is ended. */
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
