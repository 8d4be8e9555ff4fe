import { ZodError } from 'zod';
import { AddressBlockedError, OutboundRequestError } from '#server/outbound/errors';
import { maskSecret } from './result-text.ts';

/** Failure of a tool server, in words for users. */
export class ToolServerError extends Error {
  override name = 'ToolServerError';
  /** True if a call may have had an effect. */
  readonly mayHaveRun: boolean;
  /** HTTP status of an answer that reports no success. */
  readonly status: number | undefined;
  constructor(
    message: string,
    { mayHaveRun, cause, status }: { mayHaveRun: boolean; cause?: unknown; status?: number },
  ) {
    super(message, { cause });
    this.mayHaveRun = mayHaveRun;
    this.status = status;
  }
}

/** The user has to sign in at the server, for the first time or again. */
export class SignInRequiredError extends ToolServerError {
  override name = 'SignInRequiredError';
}

const maxShown = 300;

function ofStatus(status: number): string {
  if (status === 401)
    return 'The server requires authentication (401). Edit its access: sign in to it, or add a header.';
  if (status === 403) return 'The server denied access (403). Check its header.';
  if (status === 404) return 'There is no MCP server at this address (404).';
  if (status === 405) return 'There is no MCP server at this address (405).';
  if (status === 429) return 'The server is limiting requests (429). Please try again later.';
  if (status >= 300 && status < 400) return 'The server redirects to another URL. Enter that URL instead.';
  if (status >= 500) return `The server returned an error (${status}). Please try again later.`;
  return `The server rejected the request (${status}).`;
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

/**
 * A JSON-RPC error in an answer, as the SDK throws it. Its code is the server's own: 401 or 500 is no HTTP status
 * there.
 */
const isRpcError = (error: unknown): error is Error => error instanceof Error && error.name === 'McpError';

/** Status of an HTTP answer that reports no success, as the SDK's transport throws it. */
export const httpStatusOf = (error: unknown) => (isRpcError(error) ? undefined : codeOf(error));

/** The SDK's own limit, which is later than Roster's. */
const sdkTimeout = 'MCP error -32001: Request timed out';
/** Message of the SDK when it connects. */
const unknownVersion = /^Server's protocol version is not supported: (.*)$/s;
const sdkPrefix = /^(MCP error -?\d+: |(Streamable HTTP error: )?Error POSTing to endpoint: ?)/;

/** Text from the other side, truncated and on one line. */
const quoted = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown).toWellFormed()}…` : line;
};

type FailedRequest = {
  /** The call itself was in progress. */
  called: boolean;
  /** Credentials that were sent to the server, and must not be shown to users. */
  secrets?: readonly string[];
};

/** Errors that no server can cause are Roster's own faults, and pass unchanged. */
export function toToolServerError(error: unknown, { called, secrets = [] }: FailedRequest): unknown {
  const failure = (message: string, mayHaveRun: boolean) => new ToolServerError(message, { mayHaveRun, cause: error });
  if (error instanceof AddressBlockedError) return failure(error.message, false);
  if (error instanceof OutboundRequestError) return failure(error.message, called && error.sent);
  const serverMessage =
    error instanceof Error ? quoted(secrets.reduce(maskSecret, error.message.replace(sdkPrefix, ''))) : '';
  const status = httpStatusOf(error);
  // With such a status, the server has refused the request.
  if (status !== undefined)
    return new ToolServerError(
      `${ofStatus(status)}${serverMessage && status >= 400 ? ` The server says: ${serverMessage}` : ''}`,
      {
        mayHaveRun: called && status >= 500,
        cause: error,
        status,
      },
    );
  if (isRpcError(error)) {
    if (error.message === sdkTimeout) return failure('The server did not answer in time.', called);
    return failure(
      serverMessage ? `The server says: ${serverMessage}` : `The server answers with error ${codeOf(error)}.`,
      false,
    );
  }
  const version = error instanceof Error ? unknownVersion.exec(error.message)?.[1] : undefined;
  if (version !== undefined)
    return failure(
      `The server speaks the version ${quoted(version).slice(0, 40)} of MCP, which Roster does not know. Update the server, or Roster.`,
      false,
    );
  const isUnreadable = error instanceof ZodError || error instanceof SyntaxError;
  return isUnreadable ? failure('The server did not respond with valid MCP.', called) : error;
}
