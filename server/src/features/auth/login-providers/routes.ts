import {
  auth as api,
  type LoginProvider,
  type LoginProviderFailure,
  loginProviderRefusals,
  loginProviders,
} from '@roster/contracts/auth';
import { invitations } from '@roster/contracts/invitations';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import type { SignInResponse } from '#server/features/auth/shared/sign-in-response';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { allowsNavigation } from '#server/http/protection/navigation-guard';
import type { SessionCookie } from '#server/http/sessions/cookie';
import { isFresh, type SessionService } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import { AppError } from '#server/lib/errors';
import type { SignedInUser } from '#server/security/actor';
import { providerUnavailable } from './accept-invitation.ts';
import type { FlowCookie } from './flow-cookie.ts';
import type { FlowService } from './flows.ts';
import {
  asProviderFailure,
  describeCauses,
  type LoginIdentity,
  type LoginProviderClient,
  LoginProviderError,
} from './login-provider.ts';
import { providerLogoutRoutes } from './logout-routes.ts';
import type { ProviderSessionService } from './provider-sessions.ts';
import type { Flow } from './repository.ts';
import type { LoginProviderService } from './service.ts';

const isOwnPath = (path: string) => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path);

/** Returns a path of this installation to open after signing in; `/` for anything else. */
function safeReturnPath(path: string | undefined, origin: string): string {
  if (path === undefined || path.length > 2000 || !isOwnPath(path)) return '/';
  if (!URL.canParse(path, origin)) return '/';
  const url = new URL(path, origin);
  // Normalized as browsers do it: `/.//other.example` has become `//other.example`.
  const normal = `${url.pathname}${url.search}${url.hash}`;
  return url.origin === origin && isOwnPath(normal) ? normal : '/';
}

type Dependencies = {
  app: FastifyInstance;
  config: Pick<Config, 'publicUrl' | 'loopback'>;
  rates: RateLimits;
  sessions: SessionService;
  cookie: SessionCookie;
  response: SignInResponse;
  flowCookie: FlowCookie;
  flows: FlowService;
  /** Only the configured providers. */
  providers: ReadonlyMap<LoginProvider, LoginProviderClient>;
  connectedAccounts: LoginProviderService;
  providerSessions: ProviderSessionService;
  /** Returns the token’s hash. @throws unless its invitation can be accepted */
  invitationToAccept: (token: string) => Promise<string>;
};

/** Query of the provider’s callback. A repeated parameter counts as missing. */
const text = z.string().max(4096).optional().catch(undefined);
const Callback = z.object({ code: text, state: text, iss: text, error: text });
const Start = z.object({ redirect: text });

/**
 * True if the browser opens a page. Prefetches and requests for images, frames and scripts must not replace the cookie
 * of a pending sign-in.
 */
function isNavigation({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': dest = 'document' } = headers;
  const isInAdvance = [headers['sec-purpose'], headers.purpose, headers['x-moz']].some((purpose) =>
    String(purpose ?? '').includes('prefetch'),
  );
  return !isInAdvance && mode === 'navigate' && dest === 'document';
}

/** Provider errors that have a message of their own; any other is reported as `provider_failed`. */
const refusals = new Map<string, LoginProviderFailure>([
  ['access_denied', 'cancelled'],
  ...loginProviderRefusals.map((word) => [word, word] as const),
]);

const accountPage = '/settings?tab=account';

/**
 * A page that continues to the provider by itself. A redirect would not work: browsers apply the `form-action` policy
 * of the previous page to every redirect that follows, including the provider’s own.
 */
function redirectPage(address: string): string {
  const escaped = address.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="0;url=${escaped}"><title>Roster</title></head><body><a href="${escaped}">Continue</a></body></html>`;
}

export function loginProviderRoutes({ route, publicRoute }: Router, dependencies: Dependencies) {
  const { app, config, rates, sessions, cookie, response, flowCookie, flows, providers, connectedAccounts } =
    dependencies;
  const { publicUrl, loopback } = config;
  const options = { config: { access: 'public' }, exposeHeadRoute: false } as const;
  const ofForm = { config: { access: 'public', form: true } } as const;
  const callbackUrl = (provider: LoginProvider) => new URL(`/auth/${provider}/callback`, publicUrl);

  const returnPathOf = ({ query }: FastifyRequest) => safeReturnPath(Start.parse(query).redirect, publicUrl.origin);
  const withRedirect = (path: string, request: FastifyRequest) => {
    const redirect = returnPathOf(request);
    return redirect === '/' ? path : `${path}?${new URLSearchParams({ redirect })}`;
  };
  /**
   * True if the request came to another loopback name than PUBLIC_URL, to which the provider sends the browser back and
   * where the cookie must be.
   */
  const isOtherName = ({ headers }: FastifyRequest) => loopback && headers.host !== publicUrl.host;

  loginProviders.forEach(signInRoutes);
  providerLogoutRoutes(app, rates, dependencies.providerSessions);
  publicRoute(invitations.acceptAtProvider, async ({ body: { token, provider }, reply }) => {
    const hash = await dependencies.invitationToAccept(token);
    return { url: await begin(provider, '/', null, reply, hash).catch(providerUnavailable) };
  });
  route(api.connectedAccounts, ({ actor }) => connectedAccounts.of(actor.userId));
  route(api.disconnect, async ({ actor, params: { provider }, request }) => {
    await connectedAccounts.disconnect(actor.userId, provider, visitorOf(request));
    request.log.info({ event: 'login_method_disconnected', userId: actor.userId, provider }, 'sign-in disconnected');
  });

  const at = (path: string) => new URL(path, publicUrl).href;

  function signInRoutes(provider: LoginProvider) {
    // Only a visitor’s navigation starts a sign-in. For a signed-in user it would let any link connect an account.
    app.get(`/auth/${provider}`, options, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (!isNavigation(request))
        throw new AppError('cross_site', 'This address starts a sign-in. Open it in its own browser tab.');
      if (await actorOf(request)) return reply.redirect(at(accountPage));
      if (isOtherName(request)) return reply.redirect(at(withRedirect(`/auth/${provider}`, request)));
      if (!(await allowsNavigation(rates, request, reply))) return reply.redirect('/auth?error=too_many');
      try {
        return reply.redirect(await begin(provider, returnPathOf(request), null, reply));
      } catch (error) {
        return fail(error, false, provider, request, reply);
      }
    });

    app.post(`/auth/${provider}`, ofForm, async (request, reply) => {
      if (!(await allowsNavigation(rates, request, reply))) return reply.redirect('/auth?error=too_many', 303);
      const actor = await actorOf(request);
      if (isOtherName(request)) return reply.redirect(at(actor ? accountPage : withRedirect('/auth', request)), 303);
      try {
        if (actor && !isFresh(actor) && !(await connectedAccounts.isConnected(actor.userId, provider)))
          throw new LoginProviderError('sign_in_again', 'the sign-in is too old to connect anything');
        const address = await begin(provider, returnPathOf(request), actor, reply);
        return reply.type('text/html; charset=utf-8').send(redirectPage(address));
      } catch (error) {
        return fail(error, actor !== null, provider, request, reply);
      }
    });

    app.get(`/auth/${provider}/callback`, options, async (request, reply) => {
      if (!(await allowsNavigation(rates, request, reply))) return reply.redirect('/auth?error=too_many');
      const actor = await actorOf(request);
      const id = flowCookie.read(request);
      if (id !== undefined) flowCookie.clear(reply);
      let flow: Flow | undefined;
      try {
        const answer = Callback.parse(request.query);
        flow = await flows.take(provider, id, answer.state);
        return reply.redirect(await finish(provider, flow, answer, actor, request, reply));
      } catch (error) {
        const isConnecting = actor !== null && flow?.connectsTo !== null;
        return fail(error, isConnecting, provider, request, reply);
      }
    });
  }

  async function actorOf(request: FastifyRequest): Promise<SignedInUser | null> {
    const token = cookie.read(request);
    const found = token === undefined ? null : await sessions.find(token, request.ip);
    // A user who must set up a second factor first connects nothing, but may sign in at a provider that asks for one.
    return found?.mustSetUp ? null : found;
  }

  function configured(provider: LoginProvider): LoginProviderClient {
    const loginProvider = providers.get(provider);
    if (!loginProvider) throw new LoginProviderError('not_configured', 'this sign-in is not configured');
    return loginProvider;
  }

  /** Returns the address at the provider. */
  async function begin(
    provider: LoginProvider,
    returnPath: string,
    actor: SignedInUser | null,
    reply: FastifyReply,
    invitationHash: string | null = null,
  ) {
    const { authorizationUrl } = configured(provider);
    const { id, secrets } = await flows.begin(provider, {
      returnPath,
      connectsTo: actor && { userId: actor.userId, sessionId: actor.sessionId },
      invitationHash,
    });
    const again = actor !== null && !isFresh(actor);
    const url = await asProviderFailure(() => authorizationUrl(secrets, callbackUrl(provider), { again }));
    flowCookie.write(reply, id);
    return url.href;
  }

  /** Returns the page to open afterwards. */
  async function connect(
    provider: LoginProvider,
    { returnPath }: Flow,
    session: Pick<SignedInUser, 'userId' | 'sessionId' | 'provenAt'>,
    identity: LoginIdentity,
    request: FastifyRequest,
  ): Promise<string> {
    const { isConfirmed } = await connectedAccounts.connect(session, identity, visitorOf(request));
    const event = isConfirmed ? 'identity_confirmed' : 'login_method_connected';
    request.log.info({ event, userId: session.userId, provider }, 'signed in once more at a provider');
    return isConfirmed ? returnPath : `${accountPage}&connected=${provider}`;
  }

  /** Returns the page to open afterwards. */
  async function finish(
    provider: LoginProvider,
    flow: Flow,
    { code, state, iss, error }: z.output<typeof Callback>,
    actor: SignedInUser | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string> {
    const { connectsTo } = flow;
    const elsewhere = () => new LoginProviderError('expired', 'started in another session');
    if (connectsTo && actor?.sessionId !== connectsTo.sessionId) throw elsewhere();
    const refusal = error === undefined ? undefined : refusals.get(error);
    if (refusal) throw new LoginProviderError(refusal, `the provider answered ${error}`);
    const { identify } = configured(provider);
    const callback = callbackUrl(provider);
    for (const [name, value] of Object.entries({ code, state, iss, error }))
      if (value !== undefined) callback.searchParams.set(name, value);
    const identity = await asProviderFailure(() => identify(flow, callback));
    const visitor = visitorOf(request);
    if (connectsTo && actor) return connect(provider, flow, actor, identity, request);
    const { returnPath, invitationHash } = flow;
    const remembered = response.remembered(request);
    const signedIn = await connectedAccounts.signIn(identity, visitor, { remembered, returnPath, invitationHash });
    const { userId, outcome } = signedIn;
    if (signedIn.keptLastAdministrator)
      request.log.warn(
        { event: 'last_administrator_kept', userId, provider },
        'the groups take the last administrator’s role away: it stays',
      );
    if (!(await response.write(request, reply, outcome))) return '/auth?step=second-factor';
    request.log.info({ event: 'signed_in', userId, provider }, 'signed in');
    return returnPath;
  }

  function fail(
    error: unknown,
    isConnecting: boolean,
    provider: LoginProvider,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    if (!(error instanceof LoginProviderError)) throw error;
    const { code: reason, message } = error;
    const causes = describeCauses(error);
    const address = clientNetwork(request);
    request.log.warn({ event: 'sign_in_failed', address, provider, reason, ...(causes && { causes }) }, message);
    return reply.redirect(
      isConnecting ? `${accountPage}&error=${reason}` : `/auth?error=${reason}`,
      request.method === 'POST' ? 303 : 302,
    );
  }
}
