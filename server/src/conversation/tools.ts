import type { ToolApproval, ToolChoice } from '@roster/contracts/tool-servers/tool-choice';

/** A connected tool as offered to a model. Shared by the features for tool servers and for runs. */
export type OfferedTool = {
  /**
   * The name for the model: made of server and tool, at most 64 characters of A-Z a-z 0-9 _ -, unique within an offer.
   */
  name: string;
  serverId: number;
  serverName: string;
  /** The server's name for it. */
  tool: string;
  /** For people. */
  title: string;
  description: string;
  /** A JSON schema in the form that providers accept. */
  inputSchema: Record<string, unknown>;
  approval: ToolApproval;
  /** SHA-256 of description and schema at the time of selection. A changed tool needs a new approval. */
  digest: string;
  /** Its server marks it read-only or idempotent: after a crash it may be called again without asking the user. */
  mayRepeat: boolean;
};

export type ToolResult = {
  /** The text for the model; longer than 1 MB is cut, with a note at the end. */
  text: string;
  /** The tool itself reported a failure. */
  isError: boolean;
};

/** A tool could not be called; the message is for the user and the model. */
export class ToolError extends Error {
  override name = 'ToolError';
  /** true: the call may have reached the server and had an effect. */
  readonly mayHaveRun: boolean;
  constructor(message: string, options: { mayHaveRun: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.mayHaveRun = options.mayHaveRun;
  }
}

export type ToolRegistry = {
  /** The tools that an assistant may use for this user, at most 128, from the database; calls no server. */
  offered: (userId: number, assistantId: number) => Promise<OfferedTool[]>;
  /** The same for an assistant that is not saved yet, with the tools chosen in its form. */
  offeredOf: (userId: number, chosen: readonly ToolChoice[]) => Promise<OfferedTool[]>;
  /**
   * Calls a tool once, within 60 s. Checks again that the server is accessible, switched on, and that the digest
   * matches.
   * @throws ToolError
   */
  call: (
    userId: number,
    tool: Pick<OfferedTool, 'serverId' | 'tool' | 'digest'>,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ) => Promise<ToolResult>;
};
