import type { FastifyInstance } from 'fastify';
import type { World } from '../world.ts';
import { FAILURE_NAMES } from './fault.ts';
import type { FaultRule } from './fault-list.ts';

const count = { type: 'integer', minimum: 0 } as const;

const faultRule = {
  type: 'object',
  additionalProperties: false,
  required: ['fault'],
  properties: {
    times: { type: 'integer', minimum: 1 },
    match: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        path: { type: 'string' },
        method: { type: 'string' },
        key: { type: 'string' },
        model: { type: 'string' },
      },
    },
    fault: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        delayMs: count,
        hang: { type: 'boolean' },
        disconnect: { type: 'boolean' },
        fail: { type: 'string', enum: FAILURE_NAMES },
        retryAfter: { type: 'number', minimum: 0 },
        status: { type: 'integer', minimum: 200, maximum: 599 },
        error: { type: 'object' },
        body: { type: 'string' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
        tokenDelayMs: { type: 'number', minimum: 0 },
        dropAfter: count,
        hangAfter: count,
        malformedAfter: count,
        errorAfter: count,
        failedAfter: count,
        incomplete: { type: 'string', enum: ['max_output_tokens', 'content_filter'] },
        incompleteAfter: count,
        unknownEvents: { type: 'boolean' },
        fragments: { type: 'boolean' },
      },
    },
  },
} as const;

const advance = {
  type: 'object',
  additionalProperties: false,
  required: ['advanceMs'],
  properties: { advanceMs: count },
} as const;

/** The simulator's own routes, outside the simulated API. They need no key. */
export function controlRoutes(app: FastifyInstance, world: World): void {
  app.post<{ Body: FaultRule }>('/__simulator/faults', { schema: { body: faultRule } }, (request, reply) => {
    world.faults.add(request.body);
    return reply.status(201).send({ faults: world.faults.rules() });
  });
  app.get('/__simulator/faults', () => ({ faults: world.faults.rules() }));
  app.delete('/__simulator/faults', (_request, reply) => {
    world.faults.clear();
    return reply.status(204).send();
  });

  app.get('/__simulator/requests', () => ({ requests: world.journal.entries() }));
  app.delete('/__simulator/requests', (_request, reply) => {
    world.journal.clear();
    return reply.status(204).send();
  });

  app.post<{ Body: { advanceMs: number } }>('/__simulator/clock', { schema: { body: advance } }, (request) => {
    world.clock.advance(request.body.advanceMs);
    return { now: world.clock.now() };
  });
}
