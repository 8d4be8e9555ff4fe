import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from '#server/http/client-network';
import { toClientError } from '#server/http/error-handler';
import { acceptJson, type BodyLimits } from '#server/http/limits/json-body';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { AppError } from '#server/lib/errors';
import type { Secret } from '#server/security/secret';
import { scimError, scimMediaType } from './errors.ts';

type Options = {
  app: FastifyInstance;
  rates: Pick<RateLimits, 'use'>;
  /** undefined: provisioning is off. */
  token: Secret | undefined;
};

const bodyLimit = 1024 * 1024;
/** A group may come with some thousand members. */
const bodyLimits: BodyLimits = { depth: 20, keys: 100_000, isStored: true };

type Call = { request: FastifyRequest; reply: FastifyReply };
export type ScimRoute = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  handle: (call: Call) => Promise<unknown>,
) => void;

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** Authorizes before the body is read. Neither session cookies nor access tokens count here. */
async function authorize({ rates, token }: Options, request: FastifyRequest, reply: FastifyReply) {
  if (!token) throw new AppError('not_found', 'Provisioning is off: the operator has set no SCIM_TOKEN.');
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined || !timingSafeEqual(hashOf(given), hashOf(token.reveal()))) {
    await rates.use('failedToken', { address: request.ip });
    const address = clientNetwork(request);
    request.log.warn({ event: 'scim_token_refused', address, route: request.routeOptions.url }, 'token refused');
    reply.header('www-authenticate', 'Bearer');
    throw new AppError('not_signed_in', 'The token is missing or is not the SCIM_TOKEN of this installation.');
  }
  await rates.use('provisioning', 'scim');
}

/** The API for directories under /scim/v2, a Fastify plugin with its own token, errors and body parser. */
export function registerScim(options: Options, addRoutes: (route: ScimRoute) => void) {
  options.app.register(async (plugin) => {
    plugin.addHook('onRequest', (request, reply) => authorize(options, request, reply));
    plugin.removeAllContentTypeParsers();
    for (const type of ['application/json', scimMediaType]) acceptJson(plugin, type, () => bodyLimits);
    plugin.setErrorHandler((error, request, reply) => {
      const { status, body } = scimError(toClientError(error, request, reply));
      return reply.status(status).type(scimMediaType).send(JSON.stringify(body));
    });
    addRoutes((method, path, handle) =>
      plugin.route({
        method,
        url: `/scim/v2${path}`,
        bodyLimit,
        config: { access: 'directory' },
        handler: async (request, reply) => {
          const answer = await handle({ request, reply });
          if (answer === undefined) return reply.status(204).send();
          return reply.type(scimMediaType).send(JSON.stringify(answer));
        },
      }),
    );
    for (const url of ['/scim', '/scim/*'])
      plugin.all(url, { config: { access: 'directory' } }, async ({ method, url: requested }) => {
        const path = requested.split('?', 1)[0]?.slice(0, 200);
        throw new AppError('not_found', `There is no ${method} ${path}. The calls are below /scim/v2.`);
      });
  });
}
