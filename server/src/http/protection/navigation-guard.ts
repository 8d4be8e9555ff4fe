import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '#server/http/client-network';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { AppError } from '#server/lib/errors';

/**
 * Counts a navigation of the sign-in flow against its limit. It must end on a page, so a limit is reported there and
 * not as JSON: returns false.
 */
export async function allowsNavigation(rates: Pick<RateLimits, 'use'>, request: FastifyRequest, reply: FastifyReply) {
  reply.header('cache-control', 'no-store');
  try {
    await rates.use('signIn', { address: request.ip });
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
    const address = clientNetwork(request);
    request.log.warn({ event: error.code, address, route: request.routeOptions.url }, 'request refused');
    return false;
  }
}
