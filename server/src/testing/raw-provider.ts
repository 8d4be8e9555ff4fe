import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The raw provider's behavior for an answer request. */
export type RawAnswer = {
  status?: number;
  headers?: Record<string, string>;
  /** Each is sent as one packet; many are sent as fast as they are read. */
  packets: Iterable<string | Buffer>;
  /** Between two packets. */
  everyMs?: number;
  /** Behavior after the packets: end (the default), silence on an open connection, or a cut connection. */
  after?: 'end' | 'silence' | 'cut';
  /** No response starts at all. */
  isSilent?: boolean;
};

/** The same packet without end. */
export function* forever(packet: string | Buffer): Generator<string | Buffer> {
  for (;;) yield packet;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Sends one packet after the other for as long as somebody reads them. */
async function sendTo(response: ServerResponse, { packets, everyMs = 5 }: RawAnswer, onSent: (bytes: number) => void) {
  for (const packet of packets) {
    if (response.destroyed) return;
    onSent(Buffer.byteLength(packet));
    if (!response.write(packet)) await drained(response);
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
    // Lets others run.
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A provider that sends exactly the bytes a test wants, which the correct simulator never would. */
export async function startRawProvider(
  answerTo: (path: string, body: string) => RawAnswer,
  models: readonly (string | { id: string; pricing?: object })[] = ['gpt-4o'],
) {
  const requests: string[] = [];
  const open = new Set<ServerResponse>();
  let sent = 0;
  const server = createServer(async (request: IncomingMessage, response) => {
    const received: Buffer[] = [];
    for await (const piece of request) received.push(piece);
    const path = (request.url ?? '').replace('/v1', '');
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({ data: models.map((model) => (typeof model === 'string' ? { id: model } : model)) }),
      );
    }
    requests.push(path);
    open.add(response);
    response.on('close', () => open.delete(response));
    const answer = answerTo(path, Buffer.concat(received).toString());
    if (answer.isSilent) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
    response.flushHeaders();
    await sendTo(response, answer, (bytes) => {
      sent += bytes;
    });
    if (answer.after === 'cut') response.destroy();
    else if (answer.after !== 'silence') response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo | { port: number } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** The paths of answer requests. */
    asked: requests,
    /** The number of running answers. */
    open: () => open.size,
    /** Bytes of answers so far. */
    sent: () => sent,
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
