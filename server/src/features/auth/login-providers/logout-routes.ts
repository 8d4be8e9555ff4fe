import { openIdProviders } from '@roster/contracts/auth';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { clientNetwork } from '#server/http/client-network';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { allowsNavigation } from '#server/http/protection/navigation-guard';
import { describeCauses, LoginProviderError } from './login-provider.ts';
import type { ProviderSessionService } from './provider-sessions.ts';

const Body = z.object({ logout_token: z.string().min(1).max(10_000) });

/** Login providers post here when somebody signs out there (OpenID Connect Back-Channel Logout 1.0). */
export function providerLogoutRoutes(
  app: FastifyInstance,
  rates: RateLimits,
  providerSessions: ProviderSessionService,
) {
  for (const provider of openIdProviders)
    app.post(
      `/auth/${provider}/backchannel-logout`,
      { config: { access: 'public', peerForm: true } },
      async (request, reply) => {
        if (!(await allowsNavigation(rates, request, reply))) return reply.code(429).send({ error: 'slow_down' });
        const body = Body.safeParse(request.body);
        if (!body.success) return reply.code(400).send({ error: 'invalid_request' });
        try {
          const ended = await providerSessions.endByToken(provider, body.data.logout_token);
          request.log.info(
            { event: 'signed_out_at_provider', provider, ended },
            'sessions ended by the login provider',
          );
          return reply.code(200).send();
        } catch (error) {
          if (!(error instanceof LoginProviderError)) throw error;
          const { code: reason, message } = error;
          const address = clientNetwork(request);
          const causes = describeCauses(error);
          request.log.warn({ event: 'provider_logout_refused', address, provider, reason, causes }, message);
          return reply.code(400).send({ error: 'invalid_request' });
        }
      },
    );
}
