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
  const looks = looking({ db, headers, mcp, times });
  const servers = toolServerService({ db, headers });
  const choices = choiceService(db, versions);
  return {
    routes: (router: Router) => toolServerRoutes(router, { servers, choices }),
    jobs: looks.jobs,
    upkeep: looks.upkeep,
    exportParts: [toolServerExport(database)],
    close: async () => {
      looks.stop();
      await mcp.close();
      await outgoing.close();
    },
    toolBox: toolBox({ db, headers, mcp, times }),
  };
}
