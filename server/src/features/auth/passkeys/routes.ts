import { passkeys as api } from '@roster/contracts/passkeys';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserCookie, SignInCookies } from '#server/features/auth/shared/browser-cookie';
import type { SignInResponse } from '#server/features/auth/shared/sign-in-response';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import { deviceLabel, visitorOf } from '#server/http/user-agent';
import type { OwnPasskeyService } from './own-passkeys.ts';
import type { PasskeySignIn, StartedCeremony } from './sign-in.ts';

type Dependencies = {
  own: OwnPasskeyService;
  signIn: PasskeySignIn;
  cookie: BrowserCookie;
  cookies: SignInCookies;
  response: SignInResponse;
};

export function passkeyRoutes(router: Router, dependencies: Dependencies) {
  ownRoutes(router, dependencies);
  signInRoutes(router, dependencies);
}

function start<Options>(
  reply: FastifyReply,
  cookie: BrowserCookie,
  { options, token }: StartedCeremony<Options>,
): Options {
  cookie.write(reply, token);
  return options;
}

function ownRoutes({ route }: Router, { own, signIn, cookie }: Dependencies) {
  route(api.list, async ({ actor, request }) => ({
    passkeys: await own.list(actor),
    proposedName: deviceLabel(request.headers['user-agent'] ?? null),
  }));
  route(api.addOptions, async ({ actor, request, reply }) =>
    start(reply, cookie, await own.addOptions(actor, cookie.read(request))),
  );
  route(api.add, async ({ actor, body, request }) => {
    const given = { ...body, token: cookie.read(request), log: request.log };
    const added = await own.add(actor, given, visitorOf(request));
    request.log.info({ event: 'second_factor_added', userId: actor.userId }, 'passkey added');
    return added;
  });
  route(api.rename, ({ actor, params, body }) => own.rename(actor, params.id, body.name));
  route(api.remove, async ({ actor, params, request }) => {
    await own.remove(actor, params.id, visitorOf(request));
    request.log.info({ event: 'second_factor_removed', userId: actor.userId }, 'passkey removed');
  });
  route(api.confirmOptions, async ({ actor, request, reply }) =>
    start(reply, cookie, await signIn.confirmOptions(actor, cookie.read(request))),
  );
  route(api.confirm, async ({ actor, body, request, reply }) => {
    const given = { ...body, token: cookie.read(request), log: request.log };
    await signIn.confirm(actor, given, visitorOf(request));
    cookie.clear(reply);
    request.log.info({ event: 'identity_confirmed', userId: actor.userId }, 'identity confirmed with a passkey');
  });
}

function signInRoutes({ publicRoute }: Router, { signIn, cookie, cookies, response }: Dependencies) {
  const givenBy = (request: FastifyRequest) => ({ token: cookie.read(request), log: request.log });
  const noteFailure = (request: FastifyRequest) => (error: unknown) => {
    request.log.warn({ event: 'sign_in_failed', address: clientNetwork(request) }, 'sign-in with a passkey failed');
    throw error;
  };

  publicRoute(api.signInOptions, async ({ request, reply }) =>
    start(reply, cookie, await signIn.options(cookie.read(request))),
  );
  publicRoute(api.signIn, async ({ body, request, reply }) => {
    const given = { ...body, ...givenBy(request) };
    const { user, token } = await signIn.signIn(given, visitorOf(request)).catch(noteFailure(request));
    await response.writeSession(request, reply, token);
    cookie.clear(reply);
    request.log.info({ event: 'signed_in', userId: user.id }, 'signed in with a passkey');
    return user;
  });
  publicRoute(api.secondStepOptions, async ({ request, reply }) =>
    start(reply, cookie, await signIn.secondStepOptions(cookie.read(request), cookies.challenge.read(request))),
  );
  publicRoute(api.secondStep, async ({ body, request, reply }) => {
    const given = { credential: body.credential, ...givenBy(request) };
    const pending = { token: cookies.challenge.read(request), remember: body.remember };
    const done = await signIn.secondStep(given, pending, visitorOf(request)).catch(noteFailure(request));
    await response.writeSession(request, reply, done.token);
    if (done.deviceToken !== undefined) cookies.device.write(reply, done.deviceToken);
    cookie.clear(reply);
    request.log.info({ event: 'signed_in', userId: done.user.id }, 'signed in with a passkey as second factor');
    return { user: done.user, returnPath: done.returnPath };
  });
}
