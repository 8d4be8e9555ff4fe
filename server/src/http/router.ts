import { type Endpoint, Nothing, type Rate } from '@roster/contracts/endpoint';
import { wording } from '@roster/contracts/wording';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#server/errors';
import type { Actor, FindActor, HoldActor, SignedIn } from './actor.ts';
import { type IncomingFile, receiveForm } from './multipart.ts';
import { senderOf } from './network.ts';
import type { RateKey, Rates } from './rates.ts';
import { responseSchema } from './response-schema.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may call it; one that does not keeps the server from starting. */
    access?: Endpoint['access'] | 'operation' | 'token';
    rate?: Rate;
    accepts?: Endpoint['accepts'];
    /** Answered under whatever name the server is called. */
    anyHost?: true;
    /** A page's form without fields leads here. */
    form?: boolean;
  }
  interface FastifyRequest {
    actor: Actor | null;
    /** On the monotonic clock: when it was seen who it is. */
    admittedAt: number;
    /** Of a call under /v1: its body as it came. */
    bodyText?: string;
  }
}

type Parts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** Reads an uploaded form; `take` gets the file as it arrives. */
export type Receive<Fields> = <T>(take: (file: IncomingFile) => Promise<T>) => Promise<{ fields: Fields; file: T }>;

type Options = {
  app: FastifyInstance;
  findActor: FindActor;
  holdActor: HoldActor;
  sessionToken: (request: FastifyRequest) => string | undefined;
  rates: Rates;
  /** Parse every answer with its contract, for tests; otherwise the serialiser alone drops what is not named. */
  checkResponses: boolean;
};

/** The adapter between contracts and Fastify; api-door.ts is the one for programs. */
export function createRouter({ app, findActor, holdActor, sessionToken, rates, checkResponses }: Options) {
  const endpoints: Endpoint[] = [];

  app.decorateRequest('actor', null);
  app.decorateRequest('admittedAt', 0);
  app.addHook('onRoute', ({ config, url }) => {
    if (!config?.access) throw new Error(`The route ${url} does not declare who may call it`);
  });

  /** Before the body is read: who is it, may they, not too often, and is it of the right kind. */
  async function admit(request: FastifyRequest, endpoint: Endpoint) {
    await admitPerson(request, endpoint);
    const type = request.headers['content-type'];
    const isForm = type !== undefined && /^multipart\/form-data\s*(;|$)/i.test(type);
    if (endpoint.accepts === 'multipart' && !isForm)
      throw new AppError(
        'unsupported_media_type',
        'Send the file in a form, with the content type multipart/form-data.',
      );
    if (endpoint.accepts === 'json' && isForm)
      throw new AppError('unsupported_media_type', 'Send JSON, with the content type application/json.');
  }

  async function admitPerson(request: FastifyRequest, endpoint: Endpoint) {
    const token = sessionToken(request);
    const found = token === undefined ? null : await findActor(token, request);
    request.actor = found && actorOf(found, request, endpoint);
    request.admittedAt = performance.now();
    const { actor } = request;
    rates.use(endpoint.rate, rateKey(request, endpoint));
    if (endpoint.access === 'public') return;
    if (!actor) throw notSignedIn();
    requireAccess(actor, request, endpoint);
  }

  /** A body, or what is to be read, may take half a minute to come: the session may have ended since. */
  async function admitAgainIfLate(request: FastifyRequest, endpoint: Endpoint) {
    if (endpoint.accepts === 'multipart' || performance.now() - request.admittedAt < lateMs) return;
    const token = sessionToken(request);
    const found = token === undefined ? null : await findActor(token, request);
    request.actor = found && actorOf(found, request, endpoint);
    if (endpoint.access === 'public') return;
    if (!found) throw notSignedIn();
    requireAccess(found, request, endpoint);
  }

  const actorOf = (who: SignedIn, request: FastifyRequest, endpoint: Endpoint): Actor => ({
    ...who,
    async stillMay(trx) {
      const role = await holdActor(trx, who);
      if (role === null) throw notSignedIn();
      requireAccess({ ...who, role }, request, endpoint);
    },
  });

  function requireAccess(who: SignedIn, request: FastifyRequest, endpoint: Endpoint) {
    if (endpoint.access === 'public' || endpoint.access === 'user' || who.role === 'Admin') return;
    if (endpoint.access === 'editor' && who.role === 'Editor') return;
    const address = senderOf(request);
    request.log.warn({ event: 'access_refused', address, userId: who.userId, route: endpoint.path }, 'access refused');
    throw new AppError(
      'not_allowed',
      endpoint.access === 'admin'
        ? 'Only administrators can do this.'
        : 'Your role, Viewer, can chat but not change assistants, files or fine-tuning. Ask an administrator for the Editor role.',
    );
  }

  function register<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    handle: (parts: Parts<P, Q, B>) => Promise<unknown>,
    described: Endpoint = endpoint,
  ) {
    endpoints.push(described);
    // Made with the first answer: the writers of all calls together take memory and a part of the start.
    let schema: ReturnType<typeof responseSchema> | undefined;
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { access: endpoint.access, rate: endpoint.rate, accepts: endpoint.accepts },
      ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
      onRequest: (request) => admit(request, endpoint),
      handler: async (request, reply) => {
        await admitAgainIfLate(request, endpoint);
        const answer = await handle({ ...readInput(endpoint, request), request, reply });
        if (endpoint.respondsWith !== 'json') return answer;
        if (endpoint.method === 'GET') await admitAgainIfLate(request, endpoint);
        if (endpoint.status === 204) return reply.status(204).send();
        if (checkResponses) endpoint.output.parse(answer);
        schema ??= responseSchema(endpoint.output);
        if (!isObjectOrList(answer)) throw new Error(`${endpoint.path} answers neither an object nor a list`);
        const written = reply.compileSerializationSchema(schema)(answer);
        return reply.status(endpoint.status).type('application/json; charset=utf-8').send(written);
      },
    });
  }

  return {
    endpoints,
    /** A call by a signed-in person. */
    route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor }) => Promise<z.input<O>>,
    ) {
      if (endpoint.access === 'public') throw new Error(`${endpoint.path} is public: register it as such`);
      register(endpoint, (parts) => handle({ ...parts, actor: signedIn(parts.request) }));
    },
    /** A call by anybody. */
    publicRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor | null }) => Promise<z.input<O>>,
    ) {
      register(endpoint, (parts) => handle({ ...parts, actor: parts.request.actor }));
    },
    /** A form with one file. `receive` reads it; the texts are checked once they are all there, after the file. */
    uploadRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (
        call: Omit<Parts<P, Q, B>, 'body'> & { actor: Actor; receive: Receive<z.output<B>> },
      ) => Promise<z.input<O>>,
    ) {
      const { bodyLimit } = endpoint;
      if (endpoint.accepts !== 'multipart' || bodyLimit === undefined)
        throw new Error(`${endpoint.path} takes no file`);
      const handleForm = ({ params, query, request, reply }: Parts<P, Q, typeof Nothing>) =>
        handle({
          params,
          query,
          request,
          reply,
          actor: signedIn(request),
          async receive(take) {
            const { fields, file } = await receiveForm(request.raw, bodyLimit, take);
            const parsed = endpoint.body.safeParse(fields, { error: wording });
            if (!parsed.success) throw invalidInput(parsed.error.issues);
            return { fields: parsed.data, file };
          },
        });
      register({ ...endpoint, body: Nothing }, handleForm, endpoint);
    },
    /** Bytes or events: the handler writes the answer itself. */
    rawRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
      endpoint: Endpoint<P, Q, B, O>,
      handle: (call: Parts<P, Q, B> & { actor: Actor }) => Promise<unknown>,
    ) {
      register(endpoint, (parts) => handle({ ...parts, actor: signedIn(parts.request) }));
    },
  };
}

export type Router = ReturnType<typeof createRouter>;

function signedIn(request: FastifyRequest): Actor {
  if (!request.actor) throw notSignedIn();
  return request.actor;
}

/** Fastify's type of a writer names objects only; it writes whatever its schema describes, lists too. */
const isObjectOrList = (answer: unknown): answer is Record<string, unknown> =>
  typeof answer === 'object' && answer !== null;

const notSignedIn = () => new AppError('not_signed_in', 'Please sign in.');

const lateMs = 1_000;

const perAddress: ReadonlySet<Rate> = new Set<Rate>(['signIn', 'register', 'resetRequest', 'resetAttempt']);

function rateKey({ actor, ip }: FastifyRequest, { rate, path }: Endpoint): RateKey {
  if (!actor || perAddress.has(rate)) return { address: ip };
  if (rate === 'default') return `${actor.userId}|${actor.sessionId}`;
  // Saving, fetching and importing each have their own limit; so does everything else with a limit by person.
  return rate === 'keyUse' ? `${actor.userId}|${path}` : String(actor.userId);
}

function readInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, z.ZodType>,
  request: FastifyRequest,
) {
  // A call without a body is one that names no field; the value `null` is neither.
  const parts = { params: request.params, query: request.query, body: request.body === undefined ? {} : request.body };
  const params = endpoint.params.safeParse(parts.params, { error: wording });
  const query = endpoint.query.safeParse(parts.query, { error: wording });
  const body = endpoint.body.safeParse(parts.body, { error: wording });
  if (params.success && query.success && body.success)
    return { params: params.data, query: query.data, body: body.data };
  if (body.error?.issues.some(isNoObject)) throw new AppError('invalid_input', 'Send a JSON object: {…}.');
  throw invalidInput([params, query, body].flatMap((part) => part.error?.issues ?? []));
}

const isNoObject = (issue: z.core.$ZodIssue) =>
  issue.code === 'invalid_type' && issue.expected === 'object' && issue.path.length === 0;

export function invalidInput(issues: z.core.$ZodIssue[]): AppError {
  const fields = new Map<string, string>();
  for (const issue of issues) {
    const name = issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue.path.join('.');
    if (!fields.has(name)) fields.set(name, issue.message);
  }
  const [first] = fields;
  const [name, said] = first ?? ['', 'Invalid input'];
  const message = name !== '' && said.startsWith('This field') ? `${name}: ${said}` : said;
  return new AppError('invalid_input', message, { fields: Object.fromEntries(fields) });
}
