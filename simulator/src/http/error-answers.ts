import type { FastifyInstance } from 'fastify';
import { failureOf } from '../faults/fault.ts';
import { sendFailure } from './call.ts';
import { ProviderError, serverError, unknownUrl } from './errors.ts';

/** Fastify's own errors (broken JSON, a body too large) in the provider's form. */
function inProvidersForm(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status >= 500 || !(error instanceof Error)) return serverError();
  return new ProviderError(status, { message: error.message });
}

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const converted = inProvidersForm(error);
    // A bug of the simulator itself must not pass for a simulated failure.
    if (converted.status >= 500 && !(error instanceof ProviderError)) process.stderr.write(`${String(error)}\n`);
    return sendFailure(reply, failureOf(converted));
  });
}

export function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    return sendFailure(reply, failureOf(unknownUrl(request.method, path)));
  });
}
