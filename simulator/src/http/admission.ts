import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { deliverResults } from '../fine-tuning/deliver-results.ts';
import { emptyAccount } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { applyFault } from './call.ts';
import { incorrectKey, missingKey, missingScopes, quotaExceeded, trainingNotAvailable, unknownUrl } from './errors.ts';
import { isObject } from './fields.ts';

const NOBODY = emptyAccount('');

function keyOf(request: FastifyRequest): string {
  return /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

/** The path below `/v1`, without the query. */
function pathOf(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?');
  return path.replace(/^\/v1(?=\/|$)/, '');
}

const ADMINISTERS = /^\/organization(\/|$)/;
const GENERATES = /^\/(responses|chat\/completions)$/;
const SPENDS = /^\/(responses|chat\/completions|completions|embeddings|images\/.*|audio\/.*)$/;

/** Words in a key decide what it may do. */
function checkKey(key: string, method: string, path: string): void {
  if (key === '') throw missingKey();
  if (!key.startsWith('sk-') || key.includes('invalid')) throw incorrectKey(key);
  const isAdminKey = key.startsWith('sk-admin-');
  if (ADMINISTERS.test(path) && !isAdminKey) throw missingScopes('api.usage.read');
  if (isAdminKey && !ADMINISTERS.test(path))
    throw missingScopes(method === 'GET' && path === '/models' ? 'api.model.read' : 'model.request');
  if (key.includes('limited') && method === 'GET' && path === '/models') {
    throw missingScopes('api.model.read', key.includes('limited-401') ? 401 : 403);
  }
  if (key.includes('noquota') && method === 'POST' && SPENDS.test(path)) throw quotaExceeded();
  if (key.includes('notraining') && method === 'POST' && path === '/fine_tuning/jobs') throw trainingNotAvailable();
}

const LIMITS = {
  'openai-version': '2020-10-01',
  'openai-organization': 'roster-simulator',
  'openai-processing-ms': '12',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-reset-requests': '6ms',
  'x-ratelimit-limit-tokens': '2000000',
  'x-ratelimit-remaining-tokens': '1999500',
  'x-ratelimit-reset-tokens': '15ms',
} as const;

/** OpenAI's own response since it retired its assistants; servers that never had a path word it differently. */
function refuseMissingPart(request: FastifyRequest, reply: FastifyReply, part: string): FastifyReply {
  if (part === 'assistants' || part === 'agents') {
    const [path = ''] = request.url.split('?');
    throw unknownUrl(request.method, path);
  }
  return reply.status(404).send({ detail: 'Not Found' });
}

/** Runs for every request before its route: journal, missing parts, faults, key, account. */
export function admission(app: FastifyInstance, world: World): void {
  app.decorateRequest('call');

  app.addHook('onRequest', async (request, reply) => {
    const key = keyOf(request);
    const id = newId('req_');
    const leaving = new AbortController();
    const [, query = ''] = request.url.split('?');
    const entry = world.journal.begin({
      id,
      time: Date.now(),
      method: request.method,
      path: pathOf(request),
      query,
      authorization: key === '' ? null : key.slice(-4),
    });
    const call = { key, account: NOBODY, entry, fault: {}, signal: leaving.signal, broken: false };
    request.call = call;
    reply.headers({ ...LIMITS, 'x-request-id': id });
    reply.raw.once('close', () => {
      entry.status ??= reply.raw.headersSent ? reply.raw.statusCode : null;
      if (reply.raw.writableFinished) return;
      entry.aborted = !request.call.broken;
      leaving.abort();
    });
    const [, part = ''] = entry.path.split('/');
    if (world.settings.without.has(part)) return refuseMissingPart(request, reply, part);
  });

  app.addHook('preHandler', async (request, reply) => {
    const { call, body } = request;
    const { key, entry } = call;
    entry.body = body ?? null;
    const model = isObject(body) && typeof body.model === 'string' ? body.model : '';
    call.fault = world.faults.take({ path: entry.path, method: entry.method, key, model });
    const generates = entry.method === 'POST' && GENERATES.test(entry.path);
    // If an answer is generated, the route combines these faults with those in the message.
    if (!generates && (await applyFault(call.fault, reply, model))) return reply;
    checkKey(key, entry.method, entry.path);
    call.account = await world.accounts.of(key);
    await deliverResults(world, call.account);
  });
}
