import type { Bounds, McpClient, Work } from './mcp/session.ts';
import type { ServerAccess } from './oauth/access.ts';
import type { ProcessPool } from './stdio/processes.ts';

type Dependencies = { access: ServerAccess; mcp: McpClient; processes: ProcessPool };
type ServerWithDataKey = Parameters<ServerAccess['use']>[0];

/** Reaches a server at its address, or as a local process. */
export function serverConnection({ access, mcp, processes }: Dependencies) {
  return {
    /** @throws ToolServerError */
    inSession<T>(server: ServerWithDataKey, userId: number, bounds: Bounds, work: Work<T>): Promise<T> {
      if (server.kind === 'command') {
        const name = server.url.replace(/^command:/, '');
        return processes.inSession({ serverId: server.id, userId, name }, bounds, work);
      }
      return access.use(server, userId, (credentials) => mcp.inSession({ url: server.url, credentials }, bounds, work));
    },
  };
}

export type ServerConnection = ReturnType<typeof serverConnection>;
