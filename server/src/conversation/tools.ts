import type { ToolApproval } from '@roster/contracts/tool-servers/tool-servers';

/** A tool of a tool server, as it is offered to a model. Shared by who knows the servers and who runs answers. */
export type OfferedTool = {
  /** What the model calls it: made of server and tool, at most 64 characters of A-Z a-z 0-9 _ -, unique within an offer. */
  name: string;
  serverId: number;
  serverName: string;
  /** As the server calls it. */
  tool: string;
  /** For people. */
  title: string;
  description: string;
  /** A JSON schema in the form that providers take. */
  inputSchema: Record<string, unknown>;
  approval: ToolApproval;
  /** SHA-256 of what was looked at when it was chosen: description and schema. A later one needs a new approval. */
  digest: string;
  /** Its server marks it read-only or idempotent: after a crash it may be called again without a person's word. */
  mayRepeat: boolean;
};

export type ToolResult = {
  /** What the model reads; longer ones than 1 MB are cut and say so at their end. */
  text: string;
  /** The tool itself said that it failed. */
  isError: boolean;
};

/** Why a tool could not be called, in words for the person and the model. */
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
  /** The tools that an assistant may use for this person, at most 128, read from the database; nobody is asked. */
  offered: (userId: number, assistantId: number) => Promise<OfferedTool[]>;
  /**
   * Calls a tool once. Ends within 60 s. Access to the server, its switch and the tool's digest are asked again here.
   * @throws ToolError
   */
  call: (
    userId: number,
    tool: Pick<OfferedTool, 'serverId' | 'tool' | 'digest'>,
    input: Record<string, unknown>,
    signal: AbortSignal,
  ) => Promise<ToolResult>;
};
