import {
  toolServers as api,
  type ToolSignInFailure,
  toolSignInCallback,
} from '@roster/contracts/tool-servers/tool-servers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import type { Router } from '#server/http/app-router/router';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { allowsNavigation } from '#server/http/protection/navigation-guard';
import type { SignedInUser } from '#server/security/actor';
import type { SignInService } from './sign-in.ts';

type SignInRouteDependencies = {
  app: FastifyInstance;
  config: Pick<Config, 'publicUrl'>;
  rates: RateLimits;
  signIns: SignInService;
  /** The user who is signed in by the cookie of a request. */
  actorOf: (request: FastifyRequest) => Promise<SignedInUser | null>;
};

/** A repeated parameter counts as none. */
const text = z.string().max(8_192).optional().catch(undefined);
const CameBack = z.object({ code: text, state: text, iss: text, error: text });

const toolsPage = '/settings?tab=tools';

export function signInRoutes({ route }: Router, { app, config, rates, signIns, actorOf }: SignInRouteDependencies) {
  route(api.signIn, ({ actor, params }) => signIns.begin(actor, params.id));
  route(api.signOut, ({ actor, params }) => signIns.signOut(actor, params.id));

  app.get(toolSignInCallback, { config: { access: 'public' }, exposeHeadRoute: false }, async (request, reply) => {
    if (!(await allowsNavigation(rates, request, reply))) return back(reply, 'too_many');
    const actor = await actorOf(request);
    if (!actor) return reply.redirect(at(`/auth?${new URLSearchParams({ redirect: toolsPage })}`));
    const { failure, serverId } = await signIns.finish(actor, CameBack.parse(request.query));
    const what = { userId: actor.userId, serverId };
    if (failure === null)
      request.log.info({ event: 'tool_server_signed_in', ...what }, 'tool server sign-in succeeded');
    else
      request.log.warn({ event: 'tool_server_sign_in_failed', ...what, reason: failure }, 'tool server sign-in failed');
    return back(reply, failure, serverId);
  });

  const at = (path: string) => new URL(path, config.publicUrl).href;

  /** Redirects to a page without what the provider has put into the address. */
  function back(reply: FastifyReply, failure: ToolSignInFailure | null, serverId?: number) {
    const end = failure === null ? `signedIn=${serverId}` : `signInFailed=${failure}`;
    return reply.redirect(at(`${toolsPage}&${end}`));
  }
}
