import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#server/config/config';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { createSsrfGuard } from '#server/outbound/ssrf-guard';
import type { LockActor, SignedInUser } from '#server/security/actor';
import type { Vault } from '#server/security/vault';
import { serverConnection } from './connection.ts';
import { toolDiscovery } from './discover-tools.ts';
import { toolServerExport } from './export-part.ts';
import { mcpClient } from './mcp/session.ts';
import { createServerAccess } from './oauth/access.ts';
import { encryptedSignIns } from './oauth/encrypted.ts';
import { signInRoutes } from './oauth/routes.ts';
import { signInService } from './oauth/sign-in.ts';
import { openApiClient } from './openapi/client.ts';
import { createOpenApiDiscovery } from './openapi/discover.ts';
import { createReadWorker } from './openapi/read-worker-client.ts';
import { openApiServerService } from './openapi/service.ts';
import { toolServerRoutes } from './routes.ts';
import { shownServer, toolServerService } from './service.ts';
import { createServerSecrets } from './shared/headers.ts';
import { createProcessPool } from './stdio/processes.ts';
import { commandService } from './stdio/service.ts';
import { createToolRegistry } from './tool-registry.ts';
import { toolSelectionService } from './tool-selection.ts';

type Dependencies = {
  app: FastifyInstance;
  database: OpenDatabase;
  vault: Vault;
  config: Pick<Config, 'publicUrl' | 'toolHostsAllowed' | 'toolCommands' | 'proxyFor'>;
  rates: RateLimits;
  cookie: { read: (request: FastifyRequest) => string | undefined };
  sessions: { find: (token: string, ipAddress: string) => Promise<SignedInUser | null>; lock: LockActor };
  toolTimes: ToolTimeouts;
  versions: Parameters<typeof toolSelectionService>[1];
};

/** Tool servers that users add, and which of their tools each assistant may use. */
export function toolServerFeature({
  app,
  database,
  vault,
  config,
  rates,
  cookie,
  sessions,
  toolTimes: times,
  versions,
}: Dependencies) {
  const { db } = database;
  const outgoing = createSsrfGuard({ allowed: config.toolHostsAllowed, proxyFor: config.proxyFor });
  const mcp = mcpClient(outgoing, times);
  const headers = createServerSecrets({ db, vault });
  const access = createServerAccess({ db, vault, outgoing, headers, times });
  const sealed = encryptedSignIns({ db, vault });
  const signIns = signInService({ db, config, sealed, headers, outgoing, times, lockActor: sessions.lock });
  const actorOf = async (request: FastifyRequest) => {
    const token = cookie.read(request);
    const found = token === undefined ? null : await sessions.find(token, request.ip);
    return found?.mustSetUp ? null : found;
  };
  const processes = createProcessPool(config.toolCommands, times);
  const reach = serverConnection({ access, mcp, processes });
  const openApi = openApiClient(outgoing);
  const thread = createReadWorker();
  const looks = toolDiscovery({ db, reach, openApi: createOpenApiDiscovery({ db, headers, openApi, thread }), times });
  const servers = toolServerService(db, headers);
  const openApiServers = openApiServerService({ db, headers, thread });
  const commands = commandService({ db, commands: config.toolCommands, shown: shownServer });
  const choices = toolSelectionService(db, versions);
  return {
    routes(router: Router) {
      toolServerRoutes(router, { servers, openApiServers, choices, commands });
      signInRoutes(router, { app, config, rates, signIns, actorOf });
    },
    jobs: looks.jobs,
    upkeep: looks.upkeep,
    exportParts: [toolServerExport(database)],
    close: async () => {
      looks.stop();
      await Promise.all([access.close(), processes.close(), thread.close()]);
      await mcp.close();
      await outgoing.close();
    },
    toolBox: createToolRegistry({ db, headers, reach, openApi, times }),
  };
}
