import { auth as api, type User } from '@roster/contracts/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#server/config/config';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import type { SessionCookie } from '#server/http/sessions/cookie';
import type { SessionService } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import type { EmailAddressService } from './email-address.ts';
import type { LoginLinkService } from './login-links.ts';
import type { ProviderSessionService } from './login-providers/provider-sessions.ts';
import type { PasswordService } from './passwords.ts';
import type { AuthService } from './service.ts';
import type { SignInOutcome } from './shared/complete-sign-in.ts';
import { type SignInResponse, secondFactorRequired } from './shared/sign-in-response.ts';

type Dependencies = {
  auth: AuthService;
  loginLinks: LoginLinkService;
  passwords: PasswordService;
  emailAddress: EmailAddressService;
  sessions: SessionService;
  cookie: SessionCookie;
  config: Config;
  response: SignInResponse;
  providerSessions: ProviderSessionService;
};

type SignedIn = { user: User; outcome: SignInOutcome };

export function authRoutes(router: Router, dependencies: Dependencies) {
  passwordRoutes(router, dependencies);
  const { route, publicRoute } = router;
  const { auth, loginLinks, sessions, cookie, config, response, providerSessions } = dependencies;
  publicRoute(api.options, async () => ({
    registration: config.registration,
    setupCodeRequired: await auth.needsSetupCode(),
    hasAccounts: await auth.hasAccounts(),
    passwordLogin: config.passwordLogin,
    google: config.google !== undefined,
    github: config.github !== undefined,
    ...(config.openId.length > 0 && { openId: config.openId.map(({ id, name }) => ({ id, name })) }),
    mail: config.mail.smtpUrl !== undefined,
    provider: { name: config.provider.name, isOpenAi: config.provider.isOpenAi },
  }));
  route(api.currentUser, async ({ actor }) => {
    const user = await auth.user(actor.userId);
    return (await providerSessions.isFromProvider(actor)) ? { ...user, atProvider: true } : user;
  });
  route(api.changeName, ({ actor, body, request }) => auth.rename(actor, body.name, visitorOf(request)));
  publicRoute(api.register, async ({ body, request, reply }) => {
    const user = await auth.register(body, visitorOf(request));
    await response.writeSession(request, reply, await sessions.start(user.id, visitorOf(request)));
    request.log.info({ event: 'registered', userId: user.id }, 'account created');
    return user;
  });
  publicRoute(api.login, ({ body, request, reply }) =>
    finish(auth.signIn(body, visitorOf(request), response.remembered(request)), request, reply),
  );
  publicRoute(api.loginByLink, ({ body, request, reply }) =>
    finish(loginLinks.signIn(body, visitorOf(request), response.remembered(request)), request, reply),
  );
  publicRoute(api.logout, async ({ request, reply, actor }) => {
    if (actor) await sessions.signOut(actor, visitorOf(request));
    await endPresented(request);
    cookie.clear(reply);
  });
  publicRoute(api.logoutAtProvider, async ({ request, reply, actor }) => {
    const url = actor ? await providerSessions.logoutUrl(actor) : null;
    if (actor) await sessions.signOut(actor, visitorOf(request));
    await endPresented(request);
    cookie.clear(reply);
    return { url };
  });
  route(api.sessions, ({ actor }) => sessions.list(actor));
  route(api.endSession, async ({ actor, params, reply, request }) => {
    await sessions.end(actor, params.id, visitorOf(request));
    request.log.info({ event: 'session_ended', userId: actor.userId }, 'session ended');
    if (params.id === actor.sessionId) cookie.clear(reply);
  });
  route(api.endOtherSessions, async ({ actor, request }) => {
    await sessions.endOthers(actor, visitorOf(request));
    request.log.info({ event: 'sessions_ended', userId: actor.userId }, 'other sessions ended');
  });

  async function finish(signIn: Promise<SignedIn>, request: FastifyRequest, reply: FastifyReply) {
    const { user, outcome } = await signIn.catch((error: unknown) => {
      request.log.warn({ event: 'sign_in_failed', address: clientNetwork(request) }, 'sign-in failed');
      throw error;
    });
    await response.write(request, reply, outcome);
    if (outcome.kind === 'second_factor') throw secondFactorRequired(outcome);
    request.log.info({ event: 'signed_in', userId: user.id }, 'signed in');
    return user;
  }

  async function endPresented(request: FastifyRequest) {
    const token = cookie.read(request);
    if (token) await sessions.endToken(token);
  }
}

function passwordRoutes({ route, publicRoute }: Router, { passwords, emailAddress }: Dependencies) {
  publicRoute(api.requestReset, ({ body, request }) => passwords.requestReset(body.email, visitorOf(request)));
  publicRoute(api.resetPassword, async ({ body, request }) => {
    await passwords.reset(body, visitorOf(request)).catch((error: unknown) => {
      request.log.warn({ event: 'password_reset_failed', address: clientNetwork(request) }, 'password reset failed');
      throw error;
    });
    request.log.info({ event: 'password_set', userId: body.userId }, 'password set with a link');
  });
  route(api.changePassword, async ({ actor, body, request }) => {
    await passwords.change(actor, body, visitorOf(request)).catch((error: unknown) => {
      const address = clientNetwork(request);
      request.log.warn({ event: 'password_change_failed', address, userId: actor.userId }, 'password change failed');
      throw error;
    });
    request.log.info({ event: 'password_changed', userId: actor.userId }, 'password changed');
  });
  route(api.changeEmail, async ({ actor, body, request }) => {
    await emailAddress.requestChange(actor, body, visitorOf(request));
    request.log.info({ event: 'email_change_requested', userId: actor.userId }, 'change of email address requested');
  });
  route(api.requestConfirmation, ({ actor }) => emailAddress.requestConfirmation(actor));
  route(api.confirmEmail, async ({ actor, body, request }) => {
    const user = await emailAddress.confirm(actor, body, visitorOf(request));
    request.log.info({ event: 'email_confirmed', userId: actor.userId }, 'email address confirmed');
    return user;
  });
}
