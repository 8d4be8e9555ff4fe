import type { ToolServer } from '@roster/contracts/tool-servers';
import { loadOperatorConfig } from '#server/config';
import type { ToolBox } from '#server/conversation/tools';
import { commandProcesses } from '#server/features/tool-servers/commands/processes';
import { serverHeaders } from '#server/features/tool-servers/headers';
import { mcpClient } from '#server/features/tool-servers/mcp/session';
import { serverAccess } from '#server/features/tool-servers/oauth/access';
import { openApiClient } from '#server/features/tool-servers/openapi/client';
import { serverReach } from '#server/features/tool-servers/reach';
import { type ToolTimes, usualToolTimes } from '#server/features/tool-servers/times';
import { toolBox } from '#server/features/tool-servers/tool-box';
import { allowedHosts } from '#server/http/allowed-hosts';
import { createOutgoing } from '#server/http/outgoing';
import { createVault } from '#server/security/vault';
import { toolCommandsIn } from '#server/tool-commands';
import { beside } from './database.ts';
import { until } from './until.ts';
import type { Visitor } from './visitor.ts';

type Given = Record<string, unknown>;

const path = '/api/tool-servers';

export const newServer = (visitor: Visitor, url: string, more: Given = {}) =>
  visitor.post(path, { name: 'Notes', url, ...more });

export async function serverNow(visitor: Visitor, id: number): Promise<ToolServer | undefined> {
  const { body } = await visitor.get(path);
  return body.find((server: ToolServer) => server.id === id);
}

/** Once it has been asked. */
export const looked = (visitor: Visitor, id: number): Promise<ToolServer> =>
  until('The look at the tool server', async () => {
    const server = await serverNow(visitor, id);
    return server?.state === 'waiting' ? undefined : server;
  });

/** Adds it, and waits until its tools are known. */
export async function added(visitor: Visitor, url: string, more: Given = {}): Promise<ToolServer> {
  const { status, body } = await newServer(visitor, url, more);
  if (status !== 201) throw new Error(`Not added: ${JSON.stringify(body)}`);
  return looked(visitor, body.id);
}

export const toolsOf = async (visitor: Visitor, id: number) => (await visitor.get(`${path}/${id}/tools`)).body.tools;

/** Chooses all tools of a server for an assistant. */
export async function chooseAll(visitor: Visitor, assistantId: number, serverId: number, approval = 'always') {
  const tools = (await toolsOf(visitor, serverId)).map(({ name, digest }: { name: string; digest: string }) => ({
    serverId,
    name,
    digest,
    approval,
  }));
  return visitor.post(`/api/assistants/${assistantId}/tools`, { tools });
}

/** What runs answers has of an app's tool servers, on a connection of its own. */
export function withToolBox<T>(
  app: { dataDir: string; databaseUrl: string | undefined },
  work: (box: ToolBox) => Promise<T>,
  given: { commands?: string; times?: Partial<ToolTimes> } = {},
): Promise<T> {
  return beside(app, async (db) => {
    const masterKeys = loadOperatorConfig({ DATA_DIR: app.dataDir }).masterKeys() ?? [];
    const outgoing = createOutgoing({ allowed: allowedHosts('127.0.0.1') });
    const mcp = mcpClient(outgoing, usualToolTimes);
    const vault = createVault(masterKeys);
    const headers = serverHeaders({ db, vault });
    const times = { ...usualToolTimes, ...given.times };
    const access = serverAccess({ db, vault, outgoing, headers, times });
    const processes = commandProcesses(toolCommandsIn(given.commands), times);
    try {
      const reach = serverReach({ access, mcp, processes });
      return await work(toolBox({ db, headers, reach, openApi: openApiClient(outgoing), times }));
    } finally {
      await processes.close();
      await mcp.close();
      await outgoing.close();
    }
  });
}
