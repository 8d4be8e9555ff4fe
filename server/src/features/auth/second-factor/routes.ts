import { secondFactor as api } from '@roster/contracts/second-factor';
import type { SignInCookies } from '#server/features/auth/shared/browser-cookie';
import type { SignInResponse } from '#server/features/auth/shared/sign-in-response';
import type { Router } from '#server/http/app-router/router';
import { clientNetwork } from '#server/http/client-network';
import { visitorOf } from '#server/http/user-agent';
import type { OwnFactorService } from './own-factors.ts';
import type { SecondFactorPolicyService } from './policy.ts';
import type { SecondStepService } from './second-step.ts';

type Dependencies = {
  secondStep: SecondStepService;
  ownFactors: OwnFactorService;
  policy: SecondFactorPolicyService;
  cookies: SignInCookies;
  response: SignInResponse;
};

export function secondFactorRoutes({ route, publicRoute }: Router, dependencies: Dependencies) {
  const { secondStep, ownFactors, policy, cookies, response } = dependencies;
  publicRoute(api.pending, async ({ request }) => ({ ways: await secondStep.waysOf(cookies.challenge.read(request)) }));
  publicRoute(api.complete, async ({ body, request, reply }) => {
    const challenge = cookies.challenge.read(request);
    const done = await secondStep.complete(challenge, body, visitorOf(request)).catch((error: unknown) => {
      request.log.warn({ event: 'sign_in_failed', address: clientNetwork(request) }, 'second step failed');
      throw error;
    });
    await response.writeSession(request, reply, done.token);
    if (done.deviceToken !== undefined) cookies.device.write(reply, done.deviceToken);
    request.log.info({ event: 'signed_in', userId: done.user.id }, 'signed in with a second factor');
    return { user: done.user, returnPath: done.returnPath };
  });
  route(api.state, ({ actor }) => ownFactors.state(actor));
  route(api.startApp, ({ actor }) => ownFactors.startApp(actor));
  route(api.confirmApp, async ({ actor, body, request }) => {
    const added = await ownFactors.confirmApp(actor, body.code, visitorOf(request));
    request.log.info({ event: 'second_factor_added', userId: actor.userId }, 'authenticator app added');
    return added;
  });
  route(api.removeApp, async ({ actor, request }) => {
    await ownFactors.removeApp(actor, visitorOf(request));
    request.log.info({ event: 'second_factor_removed', userId: actor.userId }, 'authenticator app removed');
  });
  route(api.newRecoveryCodes, async ({ actor, request }) => {
    const made = await ownFactors.newRecoveryCodes(actor, visitorOf(request));
    request.log.info({ event: 'recovery_codes_made', userId: actor.userId }, 'recovery codes replaced');
    return made;
  });
  route(api.policy, () => policy.read());
  route(api.setPolicy, async ({ actor, body, request }) => {
    await policy.save(actor, body, visitorOf(request));
    request.log.info({ event: 'second_factor_required', by: actor.userId, ...body }, 'second factor policy saved');
  });
  route(api.reset, async ({ actor, params, request }) => {
    await policy.reset(actor, params.id);
    request.log.info({ event: 'second_factor_reset', userId: params.id, by: actor.userId }, 'second factor reset');
  });
}
