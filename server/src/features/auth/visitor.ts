import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../security/events-repository.ts';

/** From which browser a call comes. */
export const visitorOf = (request: FastifyRequest): Visitor => ({
  userAgent: request.headers['user-agent'] ?? null,
  ipAddress: request.ip,
});
