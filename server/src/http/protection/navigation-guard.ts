import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '#server/http/client-network';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { AppError } from '#server/lib/errors';

/**
 * Counts a navigation that has to do with signing in, which nobody keeps. It ends on a page, so a limit that was hit is told
 * there and not as JSON: false.
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
