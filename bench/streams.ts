import { type Agent, type IncomingMessage, request } from 'node:http';
import { now } from './clock.ts';
import { type Form, TokenReader } from './tokens.ts';

export type StreamReport = {
  /** When the request was sent. */
  asked: number;
  /** From then until the first token. */
  firstToken: number;
  /** From then until Roster acknowledged the stored message; NaN if nothing is stored. */
  accepted: number;
  reader: TokenReader;
};

type StreamRequest = {
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  agent: Agent;
};

/** Sends a request with plain listeners, because the generator shares two cores with what it measures. */
export function sendRequest({ port, method, path, headers, body, agent }: StreamRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all =
      body === undefined
        ? headers
        : { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers: all }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (piece: string) => {
      text += piece;
    });
    incoming.on('error', reject);
    incoming.on('end', () => resolve(text));
  });
}

/** Reads an event stream to its end. */
export async function follow(
  incoming: IncomingMessage,
  { count, form, asked, accepted }: { count: number; form: Form; asked: number; accepted: number },
): Promise<StreamReport> {
  if (incoming.statusCode !== 200) throw new Error(`Answered ${incoming.statusCode}: ${await textOf(incoming)}`);
  let firstToken = Number.NaN;
  const reader = new TokenReader(count, form, () => {
    firstToken = now() - asked;
  });
  await new Promise<void>((resolve, reject) => {
    incoming.on('data', reader.feed);
    incoming.on('error', reject);
    incoming.on('end', resolve);
  });
  return { asked, firstToken, accepted, reader };
}
