import { ReadableStream } from 'node:stream/web';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { OutboundRequestError } from '#server/outbound/errors';
import type { OutboundResponse, SsrfGuard } from '#server/outbound/ssrf-guard';

type Options = {
  outgoing: SsrfGuard;
  /** Requests go to this origin only. */
  origin: string;
  credentials: Record<string, string>;
  /** Remaining time for all requests together. */
  withinMs: () => number;
  bodyLimit: number;
  signal: AbortSignal;
  /**
   * Called for failures that would keep the client waiting forever: it expects an interrupted stream to resume later.
   */
  onFailure: (error: unknown) => void;
  /** Receives the text of each answer, in which numbers have all their digits. */
  onAnswer: (text: string) => void;
};
type Listeners = Pick<Options, 'onFailure' | 'onAnswer'>;

/** Messages in an answer to one request. */
const maxMessages = 20;
const noBody = new Set([204, 205, 304]);
/** Bytes of a refusal that are read for its reason. */
const maxWords = 16 * 1024;
const notMcp = (cause?: unknown) =>
  new OutboundRequestError('The server did not respond with valid MCP.', { sent: true, cause });

/** Id of the request in a message; null if it is no request. */
function askedIn(body: RequestInit['body']): unknown {
  if (typeof body !== 'string') return null;
  const message: unknown = JSON.parse(body);
  return typeof message === 'object' && message !== null && 'method' in message && 'id' in message ? message.id : null;
}

const isAnswerTo = (requestId: unknown, message: unknown) =>
  typeof message === 'object' &&
  message !== null &&
  'id' in message &&
  message.id === requestId &&
  !('method' in message);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notMcp(cause);
  }
}

/** Reads a complete answer. @throws OutboundRequestError if it is something else */
async function wholeAnswer(
  answer: OutboundResponse,
  requestId: unknown,
  onAnswer: Listeners['onAnswer'],
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (requestId === null) return text;
  const messages = [parsed(text)].flat();
  // The client checks each of them by its schema, which takes time.
  if (messages.length > maxMessages || !messages.some((message) => isAnswerTo(requestId, message))) throw notMcp();
  onAnswer(text);
  return text;
}

function isAnswerText(requestId: unknown, text: string): boolean {
  try {
    return isAnswerTo(requestId, JSON.parse(text));
  } catch {
    // The client skips what it cannot read, too.
    return false;
  }
}

/** Events up to the answer: anything that a server sends afterwards is ignored. */
async function* events(
  { body }: OutboundResponse,
  requestId: unknown,
  onAnswer: Listeners['onAnswer'],
): AsyncGenerator<Uint8Array, void> {
  let isAnswered = false;
  let goesOn = requestId === null;
  const parser = createParser({
    onEvent({ id, data }) {
      // An event with an id can be requested again, and the client does so.
      if (id) goesOn = true;
      if (requestId === null || !isAnswerText(requestId, data)) return;
      isAnswered = true;
      onAnswer(data);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield chunk;
    if (isAnswered) return;
  }
  if (!goesOn) throw new OutboundRequestError('The server closed the response without a result.', { sent: true });
}

async function* telling(stream: AsyncGenerator<Uint8Array, void>, onFailure: Options['onFailure']) {
  try {
    yield* stream;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

async function responseOf(
  answer: OutboundResponse,
  requestId: unknown,
  { onFailure, onAnswer }: Listeners,
): Promise<Response> {
  const { status, headers } = answer;
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && type === 'text/event-stream') {
    const stream = ReadableStream.from(telling(events(answer, requestId, onAnswer), onFailure));
    return new Response(stream, { status, headers });
  }
  if (isSuccess && type === 'application/json' && !noBody.has(status))
    return new Response(await wholeAnswer(answer, requestId, onAnswer), { status, headers });
  if (isSuccess && requestId !== null) {
    answer.drop();
    throw notMcp();
  }
  const words = !isSuccess && type === 'application/json' ? await wordsOf(answer) : null;
  answer.drop();
  return new Response(noBody.has(status) ? null : words, { status: status > 599 ? 502 : status, headers });
}

/** The reason in a JSON-RPC error, an OAuth error, or a gateway's answer. */
const Refusal = z.union([
  z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform(({ error }) => error.message),
  z.looseObject({ error_description: z.string() }).transform((refusal) => refusal.error_description),
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
]);

/** The server's reason for refusing a request, if it gives one. */
async function wordsOf({ body }: OutboundResponse): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxWords) return null;
    chunks.push(chunk);
  }
  try {
    return Refusal.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    // The status says enough.
    return null;
  }
}

/** Fetch function for the SDK's client: uses the guard, and limits everything that it reads. */
export function mcpFetch({
  outgoing,
  origin,
  credentials,
  withinMs,
  bodyLimit,
  signal,
  onFailure,
  onAnswer,
}: Options): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const headers = new Headers(init.headers);
    const method = init.method === 'POST' || init.method === 'DELETE' ? init.method : 'GET';
    // Nobody would listen to a stream of unsolicited messages.
    if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    try {
      const answer = await outgoing.sendRequest({
        url,
        method,
        headers: Object.fromEntries(headers),
        ...(url.origin === origin && { credentials }),
        ...(typeof init.body === 'string' && { body: init.body }),
        signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
        withinMs: Math.max(1, Math.ceil(withinMs())),
        bodyLimit,
        redirects: 'leave',
      });
      return await responseOf(answer, askedIn(init.body), { onFailure, onAnswer });
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
}
