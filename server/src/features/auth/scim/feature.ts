import type { FastifyInstance } from 'fastify';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { openScimDoor } from '#server/http/scim/door';
import { scimGroups } from './groups.ts';
import { resourceWriter } from './resources.ts';
import { scimRoutes } from './routes.ts';
import { scimUsers } from './users.ts';

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
      openScimDoor({ app, rates, token: scim.token }, (route) => scimRoutes(route, { users, groups, publicUrl })),
  };
}
