import { ZodError } from 'zod';
import { AddressBlockedError, OutboundRequestError } from '#server/outbound/errors';

/** A failed sign-in at a tool server, in words for users. */
export class SignInError extends Error {
  override name = 'SignInError';
  /** Error code of the other side, such as `invalid_grant`. */
  readonly code: string | undefined;
  constructor(message: string, { cause, code }: { cause?: unknown; code?: string | undefined } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

const codeOf = (error: Error): string | undefined =>
  'errorCode' in error && typeof error.errorCode === 'string' && /^[a-z_]{1,64}$/.test(error.errorCode)
    ? error.errorCode
    : undefined;

/**
 * Passes on only the error code of the other side, and no cause: the rest may repeat secrets that it was sent. Errors
 * that no other side can cause pass unchanged.
 */
export function toSignInError(error: unknown, host: string): unknown {
  if (error instanceof SignInError) return error;
  if (error instanceof AddressBlockedError || error instanceof OutboundRequestError)
    return new SignInError(error.message, { cause: error });
  if (error instanceof ZodError || error instanceof SyntaxError)
    return new SignInError(`${host} did not respond with valid OAuth.`);
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === 'server_error') return new SignInError(`${host} returned an error. Please try again later.`, { code });
  if (code !== undefined) return new SignInError(`${host} rejected the request: ${code}.`, { code });
  // The SDK throws plain errors for descriptions that it cannot use.
  return error.constructor === Error ? new SignInError(`Roster cannot use the sign-in of ${host}.`) : error;
}

/** After these errors the tokens, or the client, are useless. */
const finalCodes = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_request',
  'invalid_target',
  'access_denied',
]);
export const isFinal = ({ code }: SignInError) => code !== undefined && finalCodes.has(code);
export const isOfClient = ({ code }: SignInError) => code === 'invalid_client' || code === 'unauthorized_client';
