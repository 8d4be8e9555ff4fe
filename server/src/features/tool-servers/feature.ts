import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#server/config';
import type { OpenDatabase } from '#server/db/connect';
import type { LockActor, SignedIn } from '#server/http/actor';
import { createOutgoing } from '#server/http/outgoing';
import type { Rates } from '#server/http/rates';
import type { Router } from '#server/http/router';
import type { Vault } from '#server/security/vault';
import { choiceService } from './choices.ts';
import { commandProcesses } from './commands/processes.ts';
import { commandService } from './commands/service.ts';
import { toolServerExport } from './export-part.ts';
import { serverHeaders } from './headers.ts';
import { looking } from './look.ts';
import { mcpClient } from './mcp/session.ts';
import { serverAccess } from './oauth/access.ts';
import { signInRoutes } from './oauth/routes.ts';
import { sealedSignIns } from './oauth/sealed.ts';
import { signInService } from './oauth/sign-in.ts';
import { openApiClient } from './openapi/client.ts';
import { openApiLook } from './openapi/look.ts';
import { descriptionThread } from './openapi/read-thread.ts';
import { openApiServerService } from './openapi/service.ts';
import { serverReach } from './reach.ts';
import { toolServerRoutes } from './routes.ts';
import { shownServer, toolServerService } from './service.ts';
import type { ToolTimes } from './times.ts';
import { toolBox } from './tool-box.ts';

type Dependencies = {
  app: FastifyInstance;
  database: OpenDatabase;
  vault: Vault;
  config: Pick<Config, 'publicUrl' | 'toolHostsAllowed' | 'toolCommands' | 'proxyFor'>;
  rates: Rates;
  cookie: { read: (request: FastifyRequest) => string | undefined };
  sessions: { find: (token: string, ipAddress: string) => Promise<SignedIn | null>; lock: LockActor };
  toolTimes: ToolTimes;
  versions: Parameters<typeof choiceService>[1];
};

/** Servers of tools that people name, and which of their tools each assistant may use. */
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
  const outgoing = createOutgoing({ allowed: config.toolHostsAllowed, proxyFor: config.proxyFor });
  const mcp = mcpClient(outgoing, times);
  const headers = serverHeaders({ db, vault });
  const access = serverAccess({ db, vault, outgoing, headers, times });
  const sealed = sealedSignIns({ db, vault });
  const signIns = signInService({ db, config, sealed, headers, outgoing, times, lockActor: sessions.lock });
  const actorOf = async (request: FastifyRequest) => {
    const token = cookie.read(request);
    return token === undefined ? null : sessions.find(token, request.ip);
  };
  const processes = commandProcesses(config.toolCommands, times);
  const reach = serverReach({ access, mcp, processes });
  const openApi = openApiClient(outgoing);
  const thread = descriptionThread();
  const looks = looking({ db, reach, openApi: openApiLook({ db, headers, openApi, thread }), times });
  const servers = toolServerService({ db, headers });
  const openApiServers = openApiServerService({ db, headers, thread });
  const commands = commandService({ db, commands: config.toolCommands, shown: shownServer });
  const choices = choiceService(db, versions);
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
    toolBox: toolBox({ db, headers, reach, openApi, times }),
  };
}
