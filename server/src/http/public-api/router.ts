import { Empty } from '@roster/contracts/endpoint';
import type { ApiEndpoint } from '@roster/contracts/public-api/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import { requireContentType } from '#server/http/app-router/authorize';
import { readInput } from '#server/http/app-router/input';
import { clientNetwork } from '#server/http/client-network';
import { settled } from '#server/http/error-handler';
import { type BodyShape, compressed, shapeProblem } from '#server/http/limits/json-body';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { type Receive, receiver } from '#server/http/multipart';
import { AppError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { ApiPrincipal, FindPrincipal } from './api-principal.ts';
import { crossOrigin } from './cors.ts';
import { apiError, invalidApiInput, PublicApiError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a call under /v1: its body as it came. */
    bodyText?: string;
  }
}

type Parts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  caller: ApiPrincipal;
  request: FastifyRequest;
  reply: FastifyReply;
};

type FormParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Omit<Parts<P, Q, B>, 'body'> & {
  receive: Receive<z.output<B>>;
};

type Options = {
  app: FastifyInstance;
  config: Pick<Config, 'apiAllowedOrigins'>;
  rates: RateLimits;
  findCaller: FindPrincipal;
  /** Parse every answer with its contract, for tests. */
  checkResponses: boolean;
};

/** The calls as they will be opened, and as they are described. */
function createRegistry(options: Options) {
  const endpoints: ApiEndpoint[] = [];
  const registrations: ((door: FastifyInstance) => void)[] = [];
  const callers = new WeakMap<FastifyRequest, ApiPrincipal>();

  function register<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    endpoint: ApiEndpoint<P, Q, B>,
    handle: (call: Parts<P, Q, B>) => Promise<unknown>,
    described: ApiEndpoint = endpoint,
  ) {
    endpoints.push(described);
    registrations.push((door) =>
      door.route({
        method: endpoint.method,
        url: endpoint.path,
        bodyLimit: endpoint.bodyLimit,
        config: { access: 'token', accepts: endpoint.accepts, keepsTexts: endpoint.keepsTexts },
        onRequest: async (request, reply) => void callers.set(request, await admit(options, request, reply, endpoint)),
        handler: (request, reply) => {
          const caller = callers.get(request);
          if (!caller) throw new Error(`${endpoint.path} was reached without a caller`);
          const { body } = request;
          const sent = { params: request.params, query: knownQuery(endpoint.query, request.query), body };
          return handle({ ...readInput(endpoint, sent, invalidApiInput), caller, request, reply });
        },
      }),
    );
  }

  return { endpoints, registrations, register };
}

/** Parameters that a call does not know change nothing, as with OpenAI. */
function knownQuery(schema: z.ZodType, query: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || !isObject(query)) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(schema.shape, name)));
}

/** The address without slashes at its end, which some clients append to the base URL or to a path. */
export function withoutTrailingSlash(url: string): string {
  if (!url.startsWith('/v1/')) return url;
  const [path = '', ...query] = url.split('?');
  return [path.replace(/(?<=^\/v1\/[^/].*)\/+$/, ''), ...query].join('?');
}

/** The token, in the header of OpenAI's clients or in those of clients that were made for Azure or Anthropic. */
function tokenIn({ authorization, 'api-key': azure, 'x-api-key': anthropic }: FastifyRequest['headers']) {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return bearer ?? [azure, anthropic].find((value) => typeof value === 'string' && /^\S+$/.test(value))?.toString();
}

/**
 * The door for programs, under /v1: opened by an access token and by nothing else, while /api is opened by the cookie and by
 * nothing else. It answers and refuses in the provider's shapes.
 */
export function createPublicApiRouter(options: Options) {
  const { app, config, checkResponses } = options;
  const { endpoints, registrations, register } = createRegistry(options);

  const checked =
    <Call, O extends z.ZodType>({ output }: { output: O }, handle: (call: Call) => Promise<z.input<O>>) =>
    async (call: Call) => {
      const answer = await handle(call);
      if (checkResponses) output.parse(answer);
      return answer;
    };

  return {
    endpoints,
    route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: ApiEndpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B>) => Promise<z.input<O>>,
    ) {
      register(endpoint, checked(endpoint, handle));
    },
    /** A form with one file. `receive` reads it; the texts are checked once they are all there, after the file. */
    uploadRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: ApiEndpoint<P, Q, B, O>,
      handle: (call: FormParts<P, Q, B>) => Promise<z.input<O>>,
    ) {
      register({ ...endpoint, body: Empty }, formHandler(endpoint, checked(endpoint, handle)), endpoint);
    },
    /** The handler writes the answer itself. */
    rawRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
      endpoint: ApiEndpoint<P, Q, B>,
      handle: (call: Parts<P, Q, B>) => Promise<unknown>,
    ) {
      register(endpoint, handle);
    },
    /** Under its own roof: its errors and its bodies are its own. */
    open: () =>
      app.register(async (door) => {
        furnish(door, crossOrigin(config.apiAllowedOrigins));
        for (const add of registrations) add(door);
      }),
  };
}

export type PublicApiRouter = ReturnType<typeof createPublicApiRouter>;

const formHandler =
  <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    { body, bodyLimit }: { body: B; bodyLimit: number },
    handle: (call: FormParts<P, Q, B>) => Promise<unknown>,
  ) =>
  ({ body: _nothing, ...parts }: Parts<P, Q, typeof Empty>) =>
    handle({ ...parts, receive: receiver(parts.request.raw, { body, bodyLimit }, invalidApiInput) });

function rateHeaders({ limit, remaining, resetMs }: ReturnType<RateLimits['standing']>) {
  const seconds = Math.ceil(resetMs / 1000);
  return {
    'x-ratelimit-limit-requests': limit,
    'x-ratelimit-remaining-requests': remaining,
    'x-ratelimit-reset-requests': seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`,
  };
}

/** Before the body is read: whose token is it, may it, and not too often. */
async function admit(
  { rates, findCaller }: Options,
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: ApiEndpoint,
): Promise<ApiPrincipal> {
  const { path, rate, accepts, isBeta } = endpoint;
  const token = tokenIn(request.headers);
  const found = token === undefined ? null : await findCaller(token, request.ip);
  if (!found) {
    await rates.use('failedToken', { address: request.ip });
    request.log.warn({ event: 'access_token_refused', address: clientNetwork(request), route: path }, 'token refused');
    throw new AppError(
      'not_signed_in',
      token === undefined
        ? 'No access token. Send one as: Authorization: Bearer rst_…'
        : 'This access token is not valid: it may have been revoked or have expired. Make another one in Roster, under Settings > API Keys.',
    );
  }
  const key = `${found.userId}|${found.tokenId}`;
  try {
    await rates.use('apiCalls', key);
  } finally {
    reply.headers(rateHeaders(rates.standing('apiCalls', key)));
  }
  requireRight(found, endpoint);
  if (rate) await rates.use(rate, String(found.userId));
  if (isBeta && !/\bassistants=v2\b/.test(String(request.headers['openai-beta']))) throw notBeta();
  requireContentType(request.headers['content-type'], accepts);
  const { lock, ...caller } = found;
  return {
    ...caller,
    async stillMay(trx) {
      const rightsNow = await lock(trx);
      if (!rightsNow) throw new AppError('not_signed_in', 'The access token has ended meanwhile.');
      requireRight({ ...caller, rights: rightsNow }, endpoint);
    },
  };
}

function requireRight({ rights, role }: Pick<ApiPrincipal, 'rights' | 'role'>, { right }: ApiEndpoint) {
  const either = typeof right === 'string' ? [right] : right;
  if (either.some((one) => rights.includes(one))) return;
  throw new AppError(
    'not_allowed',
    `This access token lacks the right ${either.join(' or ')}. Make one that has it, under Settings > API Keys${role === 'Viewer' ? '; with the role Viewer that can only be the right chat' : ''}.`,
  );
}

const notBeta = () =>
  new PublicApiError(
    'invalid_input',
    "You must provide the 'OpenAI-Beta' header to access the Assistants API. Please try again by setting the header 'OpenAI-Beta: assistants=v2'.",
    { code: 'invalid_beta' },
  );

/**
 * A request goes on to the provider as it came, so its texts are the provider's matter. But what is counted here has to be what
 * is asked for there: no field may be named twice.
 */
const passedOn: BodyShape = { depth: 200, keys: 1_000_000, isStored: false };
/** Schemas of functions are deep and have many fields. */
const kept: BodyShape = { depth: 100, keys: 50_000, isStored: true };

type Allow = ReturnType<typeof crossOrigin>;

function furnish(door: FastifyInstance, allow: Allow) {
  door.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    allow(request, reply);
  });
  door.removeAllContentTypeParsers();
  door.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (request.headers['content-encoding'] !== undefined) return done(compressed());
    const body = String(text);
    request.bodyText = body;
    if (body === '') return done(null, {});
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      // Without its cause, which quotes the body.
      return done(new AppError('invalid_input', 'The request is not valid JSON.'));
    }
    const problem = shapeProblem(value, body, request.routeOptions.config.keepsTexts ? kept : passedOn);
    if (problem) return done(new AppError('invalid_input', problem));
    done(null, value);
  });
  // Left unread here: the route that takes a form reads it as it arrives.
  door.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  door.setErrorHandler((error, request, reply) => {
    const { status, body } = apiError(settled(error, request, reply));
    return reply.status(status).send(body);
  });
  for (const url of ['/v1', '/v1/*'])
    door.all(url, { config: { access: 'token' } }, async (request, reply) => {
      // What a browser asks before it lets a page of another site call; the hook has said what it may.
      if (request.method === 'OPTIONS') return reply.status(204).send();
      const path = request.url.split('?', 1)[0]?.slice(0, 200);
      const message = `Unknown request URL: ${request.method} ${path}. docs/api.md says what there is.`;
      throw new PublicApiError('not_found', message, { code: 'unknown_url' });
    });
}
