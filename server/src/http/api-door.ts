import type { ApiEndpoint } from '@roster/contracts/openai-api/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Config } from '#server/config';
import { AppError } from '#server/errors';
import { ApiRefusal, apiError, invalidApiInput } from './api-errors.ts';
import type { Caller, FindCaller } from './caller.ts';
import { crossOrigin } from './cors.ts';
import { settled } from './error-handler.ts';
import { readInput } from './input.ts';
import { type BodyShape, shapeProblem } from './json-body.ts';
import { senderOf } from './network.ts';
import type { Rates } from './rates.ts';

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
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
};

type Options = {
  app: FastifyInstance;
  config: Pick<Config, 'apiAllowedOrigins'>;
  rates: Rates;
  findCaller: FindCaller;
  /** Parse every answer with its contract, for tests. */
  checkResponses: boolean;
};

/**
 * The door for programs, under /v1: opened by an access token and by nothing else, while /api is opened by the cookie and by
 * nothing else. It answers and refuses in the provider's shapes.
 */
export function createApiDoor(options: Options) {
  const { app, config, checkResponses } = options;
  const endpoints: ApiEndpoint[] = [];
  const registrations: ((door: FastifyInstance) => void)[] = [];
  const callers = new WeakMap<FastifyRequest, Caller>();

  function register<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    endpoint: ApiEndpoint<P, Q, B>,
    handle: (call: Parts<P, Q, B>) => Promise<unknown>,
  ) {
    endpoints.push(endpoint);
    registrations.push((door) =>
      door.route({
        method: endpoint.method,
        url: endpoint.path,
        bodyLimit: endpoint.bodyLimit,
        config: { access: 'token', accepts: 'json', keepsTexts: endpoint.keepsTexts },
        onRequest: async (request, reply) => void callers.set(request, await admit(options, request, reply, endpoint)),
        handler: (request, reply) => {
          const caller = callers.get(request);
          if (!caller) throw new Error(`${endpoint.path} was reached without a caller`);
          return handle({ ...readInput(endpoint, request, invalidApiInput), caller, request, reply });
        },
      }),
    );
  }

  function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: ApiEndpoint<P, Q, B, O>,
    handle: (call: Parts<P, Q, B>) => Promise<z.input<O>>,
  ) {
    register(endpoint, async (call) => {
      const answer = await handle(call);
      if (checkResponses) endpoint.output.parse(answer);
      return answer;
    });
  }

  return {
    endpoints,
    route,
    /** The handler writes the answer itself. */
    rawRoute: register,
    /** Under its own roof: its errors and its bodies are its own. */
    open: () =>
      app.register(async (door) => {
        furnish(door, crossOrigin(config.apiAllowedOrigins));
        for (const add of registrations) add(door);
      }),
  };
}

export type ApiDoor = ReturnType<typeof createApiDoor>;

function rateHeaders({ limit, remaining, resetMs }: ReturnType<Rates['standing']>) {
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
  { right, path, isBeta }: ApiEndpoint,
): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const caller = token === undefined ? null : await findCaller(token, request.ip);
  if (!caller) {
    rates.use('failedToken', { address: request.ip });
    request.log.warn({ event: 'access_token_refused', address: senderOf(request), route: path }, 'token refused');
    throw new AppError(
      'not_signed_in',
      token === undefined
        ? 'No access token. Send one as: Authorization: Bearer rst_…'
        : 'This access token is not valid: it may have been revoked or have expired. Make another one in Roster, under Settings > API Keys.',
    );
  }
  const key = `${caller.userId}|${caller.tokenId}`;
  try {
    rates.use('apiCalls', key);
  } finally {
    reply.headers(rateHeaders(rates.standing('apiCalls', key)));
  }
  const rights = typeof right === 'string' ? [right] : right;
  if (!rights.some((one) => caller.rights.includes(one)))
    throw new AppError(
      'not_allowed',
      `This access token lacks the right ${rights.join(' or ')}. Make one that has it, under Settings > API Keys${caller.role === 'Viewer' ? '; with the role Viewer that can only be the right chat' : ''}.`,
    );
  if (isBeta && !/\bassistants=v2\b/.test(String(request.headers['openai-beta']))) throw notBeta();
  return caller;
}

const notBeta = () =>
  new ApiRefusal(
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
  door.setErrorHandler((error, request, reply) => {
    const { status, body } = apiError(settled(error, request, reply));
    return reply.status(status).send(body);
  });
  door.all('/v1/*', { config: { access: 'token' } }, async (request, reply) => {
    // What a browser asks before it lets a page of another site call; the hook has said what it may.
    if (request.method === 'OPTIONS') return reply.status(204).send();
    const path = request.url.split('?', 1)[0]?.slice(0, 200);
    const message = `Unknown request URL: ${request.method} ${path}. docs/api.md says what there is.`;
    throw new ApiRefusal('not_found', message, { code: 'unknown_url' });
  });
}
