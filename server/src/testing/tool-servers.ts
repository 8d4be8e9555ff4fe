import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { loadOperatorConfig } from '#server/config/config';
import { readToolCommands } from '#server/config/tool-commands';
import { defaultToolTimeouts, type ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { ToolRegistry } from '#server/conversation/tools';
import { serverConnection } from '#server/features/tool-servers/connection';
import { mcpClient } from '#server/features/tool-servers/mcp/session';
import { createServerAccess } from '#server/features/tool-servers/oauth/access';
import { openApiClient } from '#server/features/tool-servers/openapi/client';
import { createServerSecrets } from '#server/features/tool-servers/shared/headers';
import { createProcessPool } from '#server/features/tool-servers/stdio/processes';
import { createToolRegistry } from '#server/features/tool-servers/tool-registry';
import { parseAllowedHosts } from '#server/outbound/allowed-hosts';
import { createSsrfGuard } from '#server/outbound/ssrf-guard';
import { createVault } from '#server/security/vault';
import { withDatabase } from './database.ts';
import type { HttpClient } from './http-client.ts';
import { until } from './until.ts';

type Given = Record<string, unknown>;

const path = '/api/tool-servers';

export const newServer = (visitor: HttpClient, url: string, more: Given = {}) =>
  visitor.post(path, { name: 'Notes', url, ...more });

export async function serverNow(visitor: HttpClient, id: number): Promise<ToolServer | undefined> {
  const { body } = await visitor.get(path);
  return body.find((server: ToolServer) => server.id === id);
}

/** Waits until discovery has finished. */
export const untilDiscovered = (visitor: HttpClient, id: number): Promise<ToolServer> =>
  until('The look at the tool server', async () => {
    const server = await serverNow(visitor, id);
    return server?.state === 'waiting' ? undefined : server;
  });

/** Adds it, and waits until its tools are known. */
export async function addToolServer(visitor: HttpClient, url: string, more: Given = {}): Promise<ToolServer> {
  const { status, body } = await newServer(visitor, url, more);
  if (status !== 201) throw new Error(`Not added: ${JSON.stringify(body)}`);
  return untilDiscovered(visitor, body.id);
}

export const toolsOf = async (visitor: HttpClient, id: number) => (await visitor.get(`${path}/${id}/tools`)).body.tools;

/** Selects all tools of a server for an assistant. */
export async function chooseAll(visitor: HttpClient, assistantId: number, serverId: number, approval = 'always') {
  const tools = (await toolsOf(visitor, serverId)).map(({ name, digest }: { name: string; digest: string }) => ({
    serverId,
    name,
    digest,
    approval,
  }));
  return visitor.post(`/api/assistants/${assistantId}/tools`, { tools });
}

/** The tool registry of an app's runs, on a separate connection. */
export function withToolBox<T>(
  app: { dataDir: string; databaseUrl: string | undefined },
  work: (box: ToolRegistry) => Promise<T>,
  given: { commands?: string; times?: Partial<ToolTimeouts> } = {},
): Promise<T> {
  return withDatabase(app, async (db) => {
    const masterKeys = loadOperatorConfig({ DATA_DIR: app.dataDir }).masterKeys() ?? [];
    const outgoing = createSsrfGuard({ allowed: parseAllowedHosts('127.0.0.1') });
    const mcp = mcpClient(outgoing, defaultToolTimeouts);
    const vault = createVault(masterKeys);
    const headers = createServerSecrets({ db, vault });
    const times = { ...defaultToolTimeouts, ...given.times };
    const access = createServerAccess({ db, vault, outgoing, headers, times });
    const processes = createProcessPool(readToolCommands(given.commands), times);
    try {
      const reach = serverConnection({ access, mcp, processes });
      return await work(createToolRegistry({ db, headers, reach, openApi: openApiClient(outgoing), times }));
    } finally {
      await processes.close();
      await mcp.close();
      await outgoing.close();
    }
  });
}
