import { ProxyError } from './proxy.ts';

/** An address that Roster does not connect to. The message tells people why, and what to do. */
export class AddressBlockedError extends Error {
  override name = 'AddressBlockedError';
}

/** A request to a user-supplied address failed. The message is for people. */
export class OutboundRequestError extends Error {
  override name = 'OutboundRequestError';
  /** Some of the request may have reached the other side. */
  readonly sent: boolean;
  constructor(message: string, { sent, cause }: { sent: boolean; cause?: unknown }) {
    super(message, { cause });
    this.sent = sent;
  }
}

/** No connection was established, so nothing was sent. */
export class NotConnectedError extends Error {
  override name = 'NotConnectedError';
}

const textOf = new Map([
  ['ENOTFOUND', 'could not be resolved.'],
  ['EAI_AGAIN', 'could not be looked up. Please try again.'],
  ['ECONNREFUSED', 'refuses connections.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed out while connecting.'],
  ['ETIMEDOUT', 'timed out while connecting.'],
  ['EHOSTUNREACH', 'cannot be reached.'],
  ['ENETUNREACH', 'cannot be reached.'],
  ['UND_ERR_HEADERS_TIMEOUT', 'did not answer in time.'],
  ['UND_ERR_BODY_TIMEOUT', 'stopped in the middle of its answer.'],
  ['UND_ERR_HEADERS_OVERFLOW', 'answers with headers that are too large.'],
  ['HPE_HEADER_OVERFLOW', 'answers with headers that are too large.'],
]);

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const isCertificate = (code: string) => /CERT|TLS|SSL|UNABLE_TO_|SELF_SIGNED/.test(code);

/** The error for a failed connection or transfer. */
export function outboundFailure(
  host: string,
  error: unknown,
  sent: boolean,
): AddressBlockedError | OutboundRequestError {
  if (error instanceof AddressBlockedError || error instanceof OutboundRequestError) return error;
  const cause = error instanceof NotConnectedError ? error.cause : error;
  if (cause instanceof AddressBlockedError) return cause;
  if (cause instanceof ProxyError)
    return new OutboundRequestError(`${host} cannot be reached: ${cause.message}`, { sent: false, cause });
  const code = codeOf(cause);
  const what =
    textOf.get(code) ?? (isCertificate(code) ? 'has no certificate that can be trusted.' : 'closed the connection.');
  return new OutboundRequestError(`${host} ${what}`, { sent: sent && !(error instanceof NotConnectedError), cause });
}
