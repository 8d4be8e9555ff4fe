import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';

const exposed = [
  'x-request-id',
  'retry-after',
  'openai-poll-after-ms',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
].join(', ');

/**
 * CORS: pages on origins that the operator lists may call with a token, which the page must have. Cookies are never
 * accepted, and all other origins are rejected.
 */
export function crossOrigin(allowed: ReadonlySet<string>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { origin, 'sec-fetch-site': site, 'access-control-request-headers': wanted } = request.headers;
    reply.header('vary', 'origin');
    if (origin !== undefined && allowed.has(origin)) {
      reply.header('access-control-allow-origin', origin);
      reply.header('access-control-expose-headers', exposed);
      if (request.method !== 'OPTIONS') return;
      reply.header('access-control-allow-methods', 'GET, POST, DELETE');
      if (wanted !== undefined && /^[A-Za-z0-9, _-]{1,2000}$/.test(wanted))
        reply.header('access-control-allow-headers', wanted);
      reply.header('access-control-max-age', 600);
      return;
    }
    // Only browsers send this header, and pages cannot change it.
    if (site === 'cross-site' || site === 'same-site')
      throw new AppError('cross_site', 'This site is not allowed to call Roster. The operator can allow it.');
  };
}
