import { Empty } from '@roster/contracts/endpoint';
import type { ApiEndpoint } from '@roster/contracts/public-api/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import { requireContentType } from '#server/http/app-router/authorize';
import { readInput } from '#server/http/app-router/input';
import { clientNetwork } from '#server/http/client-network';
import { toClientError } from '#server/http/error-handler';
import { type BodyLimits, compressedBodyError, shapeProblem } from '#server/http/limits/json-body';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { createFormReceiver, type Receive } from '#server/http/multipart';
import { AppError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { ApiPrincipal, FindPrincipal } from './api-principal.ts';
import { crossOrigin } from './cors.ts';
import { apiError, invalidApiInput, PublicApiError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw body of a request under /v1. */
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
  /** Validate every response against its contract; for tests. */
  checkResponses: boolean;
};

/** The endpoints as they will be mounted, and as they are described. */
function createRegistry(options: Options) {
  const endpoints: ApiEndpoint[] = [];
  const registrations: ((plugin: FastifyInstance) => void)[] = [];
  const callers = new WeakMap<FastifyRequest, ApiPrincipal>();

  function register<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    endpoint: ApiEndpoint<P, Q, B>,
    handle: (call: Parts<P, Q, B>) => Promise<unknown>,
    described: ApiEndpoint = endpoint,
  ) {
    endpoints.push(described);
    registrations.push((plugin) =>
      plugin.route({
        method: endpoint.method,
        url: endpoint.path,
        bodyLimit: endpoint.bodyLimit,
        config: { access: 'token', accepts: endpoint.accepts, keepsTexts: endpoint.keepsTexts },
        onRequest: async (request, reply) =>
          void callers.set(request, await authorize(options, request, reply, endpoint)),
        handler: (request, reply) => {
          const caller = callers.get(request);
          if (!caller) throw new Error(`${endpoint.path} was reached without a caller`);
          const { body } = request;
          const sent = { params: request.params, query: pickKnownQuery(endpoint.query, request.query), body };
          return handle({ ...readInput(endpoint, sent, invalidApiInput), caller, request, reply });
        },
      }),
    );
  }

  return { endpoints, registrations, register };
}

/** Unknown query parameters are ignored, as by OpenAI. */
function pickKnownQuery(schema: z.ZodType, query: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || !isObject(query)) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(schema.shape, name)));
}

/** Removes trailing slashes, which some clients append to the base URL or to a path. */
export function withoutTrailingSlash(url: string): string {
  if (!/^\/(v1|scim)\//.test(url)) return url;
  const [path = '', ...query] = url.split('?');
  return [path.replace(/(?<=^\/(?:v1|scim)\/[^/].*)\/+$/, ''), ...query].join('?');
}

/** The token from the header that OpenAI's clients send, or from those of clients made for Azure or Anthropic. */
function extractToken({ authorization, 'api-key': azure, 'x-api-key': anthropic }: FastifyRequest['headers']) {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return bearer ?? [azure, anthropic].find((value) => typeof value === 'string' && /^\S+$/.test(value))?.toString();
}

/**
 * The public API under /v1. It accepts access tokens only, as /api accepts the session cookie only, and uses the
 * provider's shapes for responses and errors.
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
    /** A form with one file. `receive` reads it; text fields are validated after the file, when all have arrived. */
    uploadRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: ApiEndpoint<P, Q, B, O>,
      handle: (call: FormParts<P, Q, B>) => Promise<z.input<O>>,
    ) {
      register({ ...endpoint, body: Empty }, formHandler(endpoint, checked(endpoint, handle)), endpoint);
    },
    /** The handler writes the response itself. */
    rawRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
      endpoint: ApiEndpoint<P, Q, B>,
      handle: (call: Parts<P, Q, B>) => Promise<unknown>,
    ) {
      register(endpoint, handle);
    },
    /** Registered as its own Fastify plugin, with its own error handler and body parser. */
    open: () =>
      app.register(async (plugin) => {
        configurePlugin(plugin, crossOrigin(config.apiAllowedOrigins));
        for (const add of registrations) add(plugin);
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
    handle({ ...parts, receive: createFormReceiver(parts.request.raw, { body, bodyLimit }, invalidApiInput) });

function rateHeaders({ limit, remaining, resetMs }: ReturnType<RateLimits['standing']>) {
  const seconds = Math.ceil(resetMs / 1000);
  return {
    'x-ratelimit-limit-requests': limit,
    'x-ratelimit-remaining-requests': remaining,
    'x-ratelimit-reset-requests': seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`,
  };
}

/** Authenticates, authorizes and rate-limits before the body is read. */
async function authorize(
  { rates, findCaller }: Options,
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: ApiEndpoint,
): Promise<ApiPrincipal> {
  const { path, rate, accepts, isBeta } = endpoint;
  const token = extractToken(request.headers);
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
  requirePermission(found, endpoint);
  if (rate) await rates.use(rate, String(found.userId));
  if (isBeta && !/\bassistants=v2\b/.test(String(request.headers['openai-beta']))) throw notBeta();
  requireContentType(request.headers['content-type'], accepts);
  const { lock, ...caller } = found;
  return {
    ...caller,
    async recheckAccess(trx) {
      const rightsNow = await lock(trx);
      if (!rightsNow) throw new AppError('not_signed_in', 'The access token has expired or been revoked.');
      requirePermission({ ...caller, rights: rightsNow }, endpoint);
    },
  };
}

function requirePermission({ rights, role }: Pick<ApiPrincipal, 'rights' | 'role'>, { right }: ApiEndpoint) {
  const either = typeof right === 'string' ? [right] : right;
  if (either.some((one) => rights.includes(one))) return;
  throw new AppError(
    'not_allowed',
    `This access token lacks the permission ${either.join(' or ')}. Create a token that has it, under Settings > API Keys${role === 'Viewer' ? '; Viewers can only have the permission chat' : ''}.`,
  );
}

const notBeta = () =>
  new PublicApiError(
    'invalid_input',
    "You must provide the 'OpenAI-Beta' header to access the Assistants API. Please try again by setting the header 'OpenAI-Beta: assistants=v2'.",
    { code: 'invalid_beta' },
  );

/**
 * The body is forwarded unchanged, so its texts are the provider's matter. But duplicate keys are rejected: what Roster
 * counts must be what the provider executes.
 */
const forwardedBodyLimits: BodyLimits = { depth: 200, keys: 1_000_000, isStored: false };
/** Function schemas are deep and have many fields. */
const storedBodyLimits: BodyLimits = { depth: 100, keys: 50_000, isStored: true };

type Allow = ReturnType<typeof crossOrigin>;

function configurePlugin(plugin: FastifyInstance, allow: Allow) {
  plugin.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    allow(request, reply);
  });
  plugin.removeAllContentTypeParsers();
  plugin.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (request.headers['content-encoding'] !== undefined) return done(compressedBodyError());
    const body = String(text);
    request.bodyText = body;
    if (body === '') return done(null, {});
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      // The cause is left out: it quotes the body.
      return done(new AppError('invalid_input', 'The request is not valid JSON.'));
    }
    const problem = shapeProblem(
      value,
      body,
      request.routeOptions.config.keepsTexts ? storedBodyLimits : forwardedBodyLimits,
    );
    if (problem) return done(new AppError('invalid_input', problem));
    done(null, value);
  });
  // The body is not read here: the upload route streams it.
  plugin.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
  plugin.setErrorHandler((error, request, reply) => {
    const { status, body } = apiError(toClientError(error, request, reply));
    return reply.status(status).send(body);
  });
  for (const url of ['/v1', '/v1/*'])
    plugin.all(url, { config: { access: 'token' } }, async (request, reply) => {
      // CORS preflight; the hook has already set the allowed headers.
      if (request.method === 'OPTIONS') return reply.status(204).send();
      const path = request.url.split('?', 1)[0]?.slice(0, 200);
      const message = `Unknown request URL: ${request.method} ${path}. /v1/openapi.json lists the calls.`;
      throw new PublicApiError('not_found', message, { code: 'unknown_url' });
    });
}
