import { randomBytes } from 'node:crypto';
import { type ErrorBody, type ErrorCode, errorStatus } from '@roster/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, DatabaseFullError, UnavailableError } from '#server/lib/errors';
import { clientNetwork } from './client-network.ts';
import { apiError, isPublicApiRequest } from './public-api/errors.ts';
import { isScimRequest, scimError, scimMediaType } from './scim/errors.ts';

// Importing node:http would also load all of Node's fetch with its WebSocket: 6 MB.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const unavailableMessages: Record<UnavailableError['part'], string> = {
  database: 'Roster’s database is not responding at the moment. Please try again shortly.',
  storage: 'The file store is not responding at the moment. Please try again shortly.',
};

/** Maps Fastify's own errors and unavailable services to AppError. */
function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseFullError)
    return new AppError('no_space', 'The server is out of storage. Please tell the operator.', {
      cause: error,
      retryAfterSeconds: 60,
    });
  if (error instanceof UnavailableError)
    return new AppError(`${error.part}_unavailable`, unavailableMessages[error.part], {
      cause: error,
      retryAfterSeconds: 5,
    });
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) return new AppError('too_large', 'The request is too large.', { cause: error });
  if (status === 415)
    return new AppError('unsupported_media_type', 'Send JSON, with the content type application/json.', {
      cause: error,
    });
  if (status === 400 || status === 414)
    return new AppError('invalid_input', 'The request is not valid.', { cause: error });
  return undefined;
}

export function errorBody(error: AppError, requestId: string): ErrorBody {
  const { code, message, fields, ways } = error;
  return { code, message, ...(fields && { fields }), ...(ways && { ways: [...ways] }), requestId };
}

/** The error in the form of the API that the address belongs to. */
function errorAt(address: string, error: AppError, requestId: string) {
  const type = 'application/json; charset=utf-8';
  if (isPublicApiRequest(address)) return { type, ...apiError(error) };
  if (isScimRequest(address)) return { type: scimMediaType, ...scimError(error) };
  return { type, status: errorStatus[error.code], body: errorBody(error, requestId) };
}

/** Fastify answers an undecodable URL without running hooks or routes, so this response sets all headers itself. */
export function handleUndecodableUrl(headers: Record<string, string>) {
  return (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = new AppError('invalid_input', 'The address is not valid.');
    const { status, type, body } = errorAt(request.url, error, request.id);
    return reply
      .headers({ ...headers, 'cache-control': 'no-store' })
      .type(type)
      .status(status)
      .send(JSON.stringify(body));
  };
}

type UnparsableRequest = Error & { code?: string; rawPacket?: Buffer };

/** Empty if unknown: only the unparsable packet is left, which may be a later one of the request. */
function addressIn({ rawPacket }: UnparsableRequest): string {
  const [, address = ''] = /^[A-Z]+ (\S+)/.exec(rawPacket?.toString('latin1', 0, 100) ?? '') ?? [];
  return address;
}

/** Requests that are not HTTP or exceed the header limit never reach Fastify; they are answered on the socket. */
export function unparsableResponse(unreadable: UnparsableRequest): string {
  const error =
    unreadable.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('too_large', 'The address or the headers are too large.')
      : new AppError('invalid_input', 'The request is not valid HTTP, or did not arrive in time.');
  const answer = errorAt(addressIn(unreadable), error, randomBytes(9).toString('base64url'));
  const { status, type } = answer;
  const body = JSON.stringify(answer.body);
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Logged with their origin. Failed sign-ins and cross-site requests have their own log events. */
const loggedRejections: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'rate_limited',
  'not_allowed',
  'setup_code_required',
]);

/** The error as the client may see it. Details that are withheld go to the log. */
export function toClientError(error: unknown, request: FastifyRequest, reply: FastifyReply): AppError {
  const expected = asAppError(error);
  if (!expected) request.log.error({ err: error }, 'unexpected failure');
  else if (error instanceof UnavailableError)
    request.log.error({ event: expected.code, err: error }, 'service unavailable');
  else if (expected.code === 'internal') request.log.error({ err: expected.cause ?? expected }, 'server failure');
  else if (expected.cause) request.log.debug({ err: expected.cause, code: expected.code }, 'expected failure');
  const answer = expected ?? new AppError('internal', 'Something went wrong on the server. Please try again.');
  const { code } = answer;
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', answer.retryAfterSeconds);
  if (loggedRejections.has(code))
    request.log.warn(
      { event: code, address: clientNetwork(request), route: request.routeOptions.url },
      'request refused',
    );
  return answer;
}

/** The only place that turns errors into responses; http/public-api/router.ts and http/scim/scim-plugin.ts have those for clients. */
export function handleErrors(app: FastifyInstance) {
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = toClientError(error, request, reply);
    return reply.status(errorStatus[answer.code]).send(errorBody(answer, request.id));
  });
}
