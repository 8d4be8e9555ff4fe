import { Empty, type Endpoint, type Rate } from '@roster/contracts/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { createFormReceiver, type Receive } from '#server/http/multipart';
import { responseSchema } from '#server/http/response-schema';
import type { ResponseRegistry } from '#server/http/streaming/response-registry';
import type { Actor } from '#server/security/actor';
import { type Authorization, authorize, reauthorizeIfStale, signedIn } from './authorize.ts';
import { readInput } from './input.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access that every route must declare; a route without it keeps the server from starting. */
    access?: Endpoint['access'] | 'operation' | 'token' | 'directory';
    rate?: Rate;
    accepts?: Endpoint['accepts'];
    /** Served under any host name. */
    anyHost?: true;
    /** Accepts a page's form without fields. */
    form?: boolean;
    /** Accepts a form that another server posts: no browser and no cookie is involved. */
    peerForm?: boolean;
    /** For calls under /v1: the texts are stored. */
    keepsTexts?: boolean;
  }
}

type Parts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
  reply: FastifyReply;
};

type Options = Authorization & {
  app: FastifyInstance;
  openResponses: Pick<ResponseRegistry, 'endWithSession'>;
  /** Validate every response against its contract, for tests; otherwise the serializer only drops unnamed fields. */
  checkResponses: boolean;
};
type Registry = Options & { endpoints: Endpoint[] };

/** Connects contracts to Fastify; http/public-api/router.ts does so for the public API. */
export function createRouter(options: Options) {
  const { app, openResponses } = options;
  const registry: Registry = { ...options, endpoints: [] };
  app.decorateRequest('actor', null);
  app.decorateRequest('admittedAt', 0);
  app.addHook('onRoute', ({ config, url }) => {
    if (!config?.access) throw new Error(`The route ${url} does not declare who may call it`);
  });

  return {
    endpoints: registry.endpoints,
    /** A call by a signed-in user. */
    route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor }) => Promise<z.input<O>>,
    ) {
      if (endpoint.access === 'public') throw new Error(`${endpoint.path} is public: register it as such`);
      register(registry, endpoint, (parts) => handle({ ...parts, actor: signedIn(parts.request) }));
    },
    /** A call by anyone. */
    publicRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor | null }) => Promise<z.input<O>>,
    ) {
      register(registry, endpoint, (parts) => handle({ ...parts, actor: parts.request.actor }));
    },
    /** A form with one file. `receive` reads it; text fields are validated after the file, when all have arrived. */
    uploadRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: FormParts<P, Q, B>) => Promise<z.input<O>>,
    ) {
      register(registry, { ...endpoint, body: Empty }, formHandler(endpoint, handle), endpoint);
    },
    /** Bytes or events: the handler writes the response itself, for as long as its reader takes. */
    rawRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor }) => Promise<unknown>,
    ) {
      register(registry, endpoint, (parts) => {
        const actor = signedIn(parts.request);
        const { raw } = parts.reply;
        openResponses.endWithSession(raw, actor, () => raw.destroy());
        return handle({ ...parts, actor });
      });
    },
  };
}

export type Router = ReturnType<typeof createRouter>;

function register<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  registry: Registry,
  endpoint: Endpoint<P, Q, B, O>,
  handle: (parts: Parts<P, Q, B>) => Promise<unknown>,
  described: Endpoint = endpoint,
) {
  registry.endpoints.push(described);
  const write = responseWriter(endpoint, registry.checkResponses);
  registry.app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { access: endpoint.access, rate: endpoint.rate, accepts: endpoint.accepts },
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    onRequest: (request) => authorize(registry, request, endpoint),
    handler: async (request, reply) => {
      await reauthorizeIfStale(registry, request, endpoint);
      const answer = await handle({ ...readInput(endpoint, request), request, reply });
      if (endpoint.respondsWith !== 'json') return answer;
      if (endpoint.method === 'GET') await reauthorizeIfStale(registry, request, endpoint);
      return write(reply, answer);
    },
  });
}

function responseWriter({ path, status, output }: Endpoint, checkResponses: boolean) {
  // Built with the first response: all serializers together take memory and startup time.
  let schema: ReturnType<typeof responseSchema> | undefined;
  return (reply: FastifyReply, answer: unknown) => {
    if (status === 204) return reply.status(204).send();
    if (checkResponses) output.parse(answer);
    schema ??= responseSchema(output);
    if (!isObjectOrList(answer)) throw new Error(`${path} returns neither an object nor a list`);
    const written = reply.compileSerializationSchema(schema)(answer);
    return reply.status(status).type('application/json; charset=utf-8').send(written);
  };
}

/** Fastify types serializers for objects only, but they write whatever the schema describes, including lists. */
const isObjectOrList = (answer: unknown): answer is Record<string, unknown> =>
  typeof answer === 'object' && answer !== null;

type FormParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Omit<Parts<P, Q, B>, 'body'> & {
  actor: Actor;
  receive: Receive<z.output<B>>;
};

function formHandler<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  { path, accepts, bodyLimit, body }: Endpoint<P, Q, B, O>,
  handle: (call: FormParts<P, Q, B>) => Promise<z.input<O>>,
) {
  if (accepts !== 'multipart' || bodyLimit === undefined) throw new Error(`${path} takes no file`);
  return ({ body: _nothing, ...parts }: Parts<P, Q, typeof Empty>) =>
    handle({
      ...parts,
      actor: signedIn(parts.request),
      receive: createFormReceiver(parts.request.raw, { body, bodyLimit }),
    });
}
