import type { Endpoint, Rate } from '@roster/contracts/endpoint';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '#server/http/client-network';
import type { RateKey, RateLimits } from '#server/http/limits/rate-limits';
import { requireFresh } from '#server/http/sessions/sessions';
import { AppError } from '#server/lib/errors';
import type { Actor, FindActor, LockActor, SignedInUser } from '#server/security/actor';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
    /** Monotonic time of the last authentication. */
    admittedAt: number;
  }
}

export type Authorization = {
  findActor: FindActor;
  lockActor: LockActor;
  sessionToken: (request: FastifyRequest) => string | undefined;
  rates: Pick<RateLimits, 'use'>;
};

const reauthorizeAfterMs = 1_000;

const notSignedIn = () => new AppError('not_signed_in', 'Please sign in.');

/** Authenticates, authorizes, rate-limits and checks the content type, all before the body is read. */
export async function authorize(admission: Authorization, request: FastifyRequest, endpoint: Endpoint) {
  await authenticate(admission, request, endpoint);
  request.admittedAt = performance.now();
  await admission.rates.use(endpoint.rate, rateKey(request, endpoint));
  requireActor(request, endpoint);
  if (endpoint.fresh) requireFresh(signedIn(request));
  requireContentType(request.headers['content-type'], endpoint.accepts);
}

/** A body may take half a minute to arrive, so authenticate again in case the session ended meanwhile. */
export async function reauthorizeIfStale(admission: Authorization, request: FastifyRequest, endpoint: Endpoint) {
  if (endpoint.accepts === 'multipart' || performance.now() - request.admittedAt < reauthorizeAfterMs) return;
  await authenticate(admission, request, endpoint);
  requireActor(request, endpoint);
}

export function signedIn({ actor }: FastifyRequest): Actor {
  if (!actor) throw notSignedIn();
  return actor;
}

async function authenticate(
  { sessionToken, findActor, lockActor }: Authorization,
  request: FastifyRequest,
  endpoint: Endpoint,
) {
  const token = sessionToken(request);
  const found = token === undefined ? null : await findActor(token, request);
  request.actor = found && {
    ...found,
    async recheckAccess(trx) {
      const role = await lockActor(trx, found);
      if (role === null) throw notSignedIn();
      requireAccess({ ...found, role }, request, endpoint);
    },
  };
}

function requireActor(request: FastifyRequest, endpoint: Endpoint) {
  if (endpoint.access !== 'public') requireAccess(signedIn(request), request, endpoint);
}

function requireAccess(who: SignedInUser, request: FastifyRequest, endpoint: Endpoint) {
  if (who.mustSetUp && !endpoint.beforeSetup)
    throw new AppError(
      'second_factor_setup_required',
      'An administrator requires a second factor. Set one up to continue.',
    );
  if (endpoint.access === 'public' || endpoint.access === 'user' || who.role === 'Admin') return;
  if (endpoint.access === 'editor' && who.role === 'Editor') return;
  const address = clientNetwork(request);
  request.log.warn({ event: 'access_refused', address, userId: who.userId, route: endpoint.path }, 'access refused');
  throw new AppError(
    'not_allowed',
    endpoint.access === 'admin'
      ? 'Only administrators can do this.'
      : 'Your role, Viewer, can chat but not change assistants, files or fine-tuning. Ask an administrator for the Editor role.',
  );
}

/** @throws if a form is sent instead of JSON, or the other way round */
export function requireContentType(type: string | undefined, accepts: Endpoint['accepts']) {
  const isForm = type !== undefined && /^multipart\/form-data\s*(;|$)/i.test(type);
  if (accepts === 'multipart' && !isForm)
    throw new AppError('unsupported_media_type', 'Send the file in a form, with the content type multipart/form-data.');
  if (accepts === 'json' && isForm)
    throw new AppError('unsupported_media_type', 'Send JSON, with the content type application/json.');
}

const perAddress: ReadonlySet<Rate> = new Set<Rate>(['signIn', 'register', 'resetRequest', 'resetAttempt']);

function rateKey({ actor, ip }: FastifyRequest, { rate, path }: Endpoint): RateKey {
  if (!actor || perAddress.has(rate)) return { address: ip };
  if (rate === 'default') return `${actor.userId}|${actor.sessionId}`;
  // Routes that use a provider key each have their own limit per user; other limits are shared by a user's routes.
  return rate === 'keyUse' ? `${actor.userId}|${path}` : String(actor.userId);
}
