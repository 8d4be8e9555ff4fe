import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the raw provider does with a request for an answer. */
export type RawAnswer = {
  status?: number;
  headers?: Record<string, string>;
  /** Each is sent as one packet. */
  packets: (string | Buffer)[];
};

/** A provider that sends exactly the bytes a test wants, which the simulator, being correct, never would. */
export async function startRawProvider(answerTo: (path: string) => RawAnswer) {
  const asked: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    for await (const _ of request);
    const path = (request.url ?? '').replace('/v1', '');
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ data: [{ id: 'gpt-4o' }] }));
    }
    asked.push(path);
    const { status = 200, headers = {}, packets } = answerTo(path);
    response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
    for (const packet of packets) {
      response.write(packet);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo | { port: number } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** The paths that answers were asked at. */
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One event of a Responses stream. */
export const event = (type: string, fields: Record<string, unknown> = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
export const delta = (text: string) => event('response.output_text.delta', { delta: text });
export const completed = (usage?: unknown) => event('response.completed', { response: { usage } });
/** One event of a Chat Completions stream. */
export const chunk = (fields: Record<string, unknown>) => `data: ${JSON.stringify(fields)}\n\n`;
export const words = (content: string, finish_reason: string | null = null) =>
  chunk({ choices: [{ delta: { content }, finish_reason }] });
