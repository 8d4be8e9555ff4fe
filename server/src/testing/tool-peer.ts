import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

type Given = Record<string, unknown>;
export type GivenTool = {
  name: string;
  description?: string;
  inputSchema?: Given;
  annotations?: Given;
  title?: string;
};
type ToolCall = { name: string; arguments: Given };
type Answer = { content: Given[]; structuredContent?: Given; isError?: boolean };

/** A server of the official SDK as a test controls it; `tools` and `answer` may change while it runs. */
export type ToolPeer = {
  tools: GivenTool[];
  /** For a page of the list. */
  pageSize: number;
  answer: (called: ToolCall) => Answer | Promise<Answer>;
  /** Forgets all sessions before the next request that has one. */
  forgetOnce: boolean;
  /** Answers a request itself, for example to demand a sign-in. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
};

export const listening = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

function serverOf(peer: ToolPeer, calls: ToolCall[]) {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const next = from + peer.pageSize;
    const tools = peer.tools.slice(from, next).map((tool) => ({ inputSchema: { type: 'object' as const }, ...tool }));
    // The tests' schemas are sent unchanged, including invalid ones.
    return { tools, ...(next < peer.tools.length && { nextCursor: String(next) }) } as never;
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const called = { name: params.name, arguments: params.arguments ?? {} };
    calls.push(called);
    return (await peer.answer(called)) as never;
  });
  return server;
}

/** A tool server of the official SDK, on streamable HTTP with sessions. */
export async function startToolServer(given: Partial<ToolPeer> = {}) {
  const peer: ToolPeer = {
    tools: [
      { name: 'read_note', description: 'Reads a note.', annotations: { readOnlyHint: true } },
      {
        name: 'write_note',
        title: 'Write a note',
        description: 'Writes a note.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
    pageSize: 100,
    answer: (called) => ({ content: [{ type: 'text', text: `${called.name} ${JSON.stringify(called.arguments)}` }] }),
    forgetOnce: false,
    instead: undefined,
    ...given,
  };
  const calls: ToolCall[] = [];
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  async function handle(request: IncomingMessage, response: ServerResponse) {
    if (peer.instead?.(request, response)) return;
    requests.push({ method: request.method ?? '', headers: request.headers });
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string' && peer.forgetOnce) {
      peer.forgetOnce = false;
      sessions.clear();
    }
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session) return session.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    transport.onclose = () => void (transport.sessionId && sessions.delete(transport.sessionId));
    await serverOf(peer, calls).connect(transport as never);
    await transport.handleRequest(request, response);
  }

  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const port = await listening(http);
  return {
    peer,
    /** Calls of tools. */
    calls,
    requests,
    sessions,
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
