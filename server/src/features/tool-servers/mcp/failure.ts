import { ZodError } from 'zod';
import { AddressRefused, OutgoingFailed } from '#server/http/outgoing-failures';

/** What went wrong with a tool server, in words for people. */
export class ServerFailure extends Error {
  override name = 'ServerFailure';
  /** Whether a call may have had an effect. */
  readonly mayHaveRun: boolean;
  /** Of HTTP, where the server has answered with one that is no success. */
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

/** A person has to sign in at the server, for the first time or again. */
export class SignInNeeded extends ServerFailure {
  override name = 'SignInNeeded';
}

const shownAtMost = 300;
/** How the SDK numbers it. */
const timedOut = -32001;

function ofStatus(status: number): string {
  if (status === 401) return 'The server wants a sign-in (401). Edit its access: sign in to it, or give it a header.';
  if (status === 403) return 'The server refuses the access (403). Check its header.';
  if (status === 404) return 'There is no MCP server at this address (404).';
  if (status === 405) return 'There is no MCP server at this address (405).';
  if (status === 429) return 'The server has too much to do (429). Please try again later.';
  if (status >= 300 && status < 400) return 'The server sends to another address. Enter that one instead.';
  if (status >= 500) return `The server has failed (${status}). Please try again later.`;
  return `The server refuses the request (${status}).`;
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

/** Codes of JSON-RPC are negative, those of HTTP are not. */
export const httpStatusOf = (error: unknown) => {
  const code = codeOf(error);
  return code !== undefined && code >= 100 ? code : undefined;
};

/** What the other side has said, cut and without line ends. */
export const quoted = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > shownAtMost ? `${line.slice(0, shownAtMost).toWellFormed()}…` : line;
};

/** What no server can bring about is a fault of ours: it goes on as it is. `called`: the call itself was under way. */
export function serverFailure(error: unknown, called: boolean): unknown {
  const failure = (message: string, mayHaveRun: boolean) => new ServerFailure(message, { mayHaveRun, cause: error });
  if (error instanceof AddressRefused) return failure(error.message, false);
  if (error instanceof OutgoingFailed) return failure(error.message, called && error.sent);
  const status = httpStatusOf(error);
  // What a server answers with such a status it has refused.
  if (status !== undefined)
    return new ServerFailure(ofStatus(status), { mayHaveRun: called && status >= 500, cause: error, status });
  const code = codeOf(error);
  if (code === timedOut) return failure('The server did not answer in time.', called);
  if (code !== undefined && code < -1 && error instanceof Error)
    return failure(`The server says: ${quoted(error.message.replace(/^MCP error -?\d+: /, ''))}`, false);
  const isUnreadable = code !== undefined || error instanceof ZodError || error instanceof SyntaxError;
  return isUnreadable ? failure('The server answers with something other than MCP.', called) : error;
}
