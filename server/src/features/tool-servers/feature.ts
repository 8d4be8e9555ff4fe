import type { Config } from '#server/config';
import type { OpenDatabase } from '#server/db/connect';
import { createOutgoing } from '#server/http/outgoing';
import type { Router } from '#server/http/router';
import type { Vault } from '#server/security/vault';
import { choiceService } from './choices.ts';
import { toolServerExport } from './export-part.ts';
import { serverHeaders } from './headers.ts';
import { looking } from './look.ts';
import { mcpClient } from './mcp/session.ts';
import { openApiClient } from './openapi/client.ts';
import { openApiLook } from './openapi/look.ts';
import { descriptionThread } from './openapi/read-thread.ts';
import { openApiServerService } from './openapi/service.ts';
import { toolServerRoutes } from './routes.ts';
import { toolServerService } from './service.ts';
import type { ToolTimes } from './times.ts';
import { toolBox } from './tool-box.ts';

type Dependencies = {
  database: OpenDatabase;
  vault: Vault;
  config: Pick<Config, 'toolHostsAllowed'>;
  toolTimes: ToolTimes;
  versions: Parameters<typeof choiceService>[1];
};

/** Servers of tools that people name, and which of their tools each assistant may use. */
export function toolServerFeature({ database, vault, config, toolTimes: times, versions }: Dependencies) {
  const { db } = database;
  const outgoing = createOutgoing({ allowed: config.toolHostsAllowed });
  const mcp = mcpClient(outgoing, times);
  const headers = serverHeaders({ db, vault });
  const openApi = openApiClient(outgoing);
  const thread = descriptionThread();
  const looks = looking({ db, headers, mcp, openApi: openApiLook({ db, headers, openApi, thread }), times });
  const servers = toolServerService({ db, headers });
  const openApiServers = openApiServerService({ db, headers, thread });
  const choices = choiceService(db, versions);
  return {
    routes: (router: Router) => toolServerRoutes(router, { servers, openApiServers, choices }),
    jobs: looks.jobs,
    upkeep: looks.upkeep,
    exportParts: [toolServerExport(database)],
    close: async () => {
      looks.stop();
      await thread.close();
      await mcp.close();
      await outgoing.close();
    },
    toolBox: toolBox({ db, headers, mcp, openApi, times }),
  };
}
