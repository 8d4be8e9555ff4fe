import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { registerScim, type ScimRoute } from '#server/http/scim/scim-plugin';
import { AppError } from '#server/lib/errors';
import type { JsonObject } from '#server/lib/is-object';
import { listed, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { type ScimGroups, scimGroups } from './groups.ts';
import { resourceWriter } from './resources.ts';
import { type ScimUsers, scimUsers } from './users.ts';

type Dependencies = Pick<Parameters<typeof scimUsers>[0], 'removeAccount' | 'onSessionsEnded'> & {
  app: FastifyInstance;
  config: Pick<Config, 'scim' | 'publicUrl'>;
  database: Pick<OpenDatabase, 'db'>;
  rates: RateLimits;
};

/** Accounts and groups that a directory maintains by SCIM 2.0 (RFC 7643 and 7644). */
export function scimFeature({ app, config, database: { db }, rates, removeAccount, onSessionsEnded }: Dependencies) {
  const { scim, publicUrl } = config;
  const shared = { db, provider: scim.provider, write: resourceWriter(publicUrl), onSessionsEnded };
  const users = scimUsers({ ...shared, removeAccount });
  const groups = scimGroups(shared);
  return {
    routes: () =>
      registerScim({ app, rates, token: scim.token }, (route) => scimRoutes(route, publicUrl, users, groups)),
  };
}

const Params = z.object({ id: z.string() });
const idOf = ({ params }: { params: unknown }) => Params.parse(params).id;

function discoveryRoutes(route: ScimRoute, publicUrl: URL) {
  route('GET', '/ServiceProviderConfig', async () => serviceProviderConfig(publicUrl));
  const lists = { ResourceTypes: resourceTypes(publicUrl), Schemas: schemas(publicUrl) };
  for (const [name, resources] of Object.entries(lists)) {
    route('GET', `/${name}`, async () => listed(resources));
    route('GET', `/${name}/:id`, async ({ request }) => found(resources, idOf(request)));
  }
}

function found(resources: readonly JsonObject[], id: string): JsonObject {
  const resource = resources.find((candidate) => candidate.id === id);
  if (!resource) throw new AppError('not_found', 'There is no such resource.');
  return resource;
}

function scimRoutes(route: ScimRoute, publicUrl: URL, users: ScimUsers, groups: ScimGroups) {
  discoveryRoutes(route, publicUrl);
  for (const { path, event, all } of [
    { path: '/Users', event: 'account', all: users },
    { path: '/Groups', event: 'group', all: groups },
  ]) {
    const one = `${path}/:id`;
    route('GET', path, ({ request }) => all.list(request.query));
    route('GET', one, ({ request }) => all.find(idOf(request), request.query));
    route('POST', path, async ({ request, reply }) => {
      const resource = await all.create(request.body);
      request.log.info({ event: `scim_${event}_added`, id: resource.id }, 'provisioned');
      reply.status(201);
      return resource;
    });
    for (const [method, change] of [
      ['PUT', all.replace],
      ['PATCH', all.patch],
    ] as const)
      route(method, one, async ({ request }) => {
        const resource = await change(idOf(request), request.body);
        request.log.info({ event: `scim_${event}_changed`, id: idOf(request) }, 'provisioned');
        return resource;
      });
    route('DELETE', one, async ({ request }) => {
      await all.remove(idOf(request));
      request.log.info({ event: `scim_${event}_removed`, id: idOf(request) }, 'provisioned');
    });
  }
}
