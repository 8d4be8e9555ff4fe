import { chat, type RunEvent } from '@roster/contracts/chat';
import { createParser } from 'eventsource-parser';
import { type ApiError, readError, urlOf } from '#web/lib/api-client.ts';

/** One message of a `text/event-stream`. Comments and unused fields are dropped. */
type StreamMessage = { id: string | null; data: string };

/** Returns a parser: feed it pieces of the stream, and it returns the messages completed by each. */
export function streamMessages(): (piece: string) => StreamMessage[] {
  let whole: StreamMessage[] = [];
  const parser = createParser({ onEvent: ({ id = null, data }) => whole.push({ id, data }) });
  return (piece) => {
    whole = [];
    parser.feed(piece);
    return whole;
  };
}

type RunReader = {
  onEvent: (event: RunEvent) => void;
  /** `lost`: the connection broke and is being re-established. */
  onConnection: (state: 'open' | 'lost') => void;
  /** The server refuses this run (signed out, deleted); retrying would not help. */
  onRefused: (error: ApiError) => void;
};

const firstWait = 500;
const longestWait = 10_000;
/**
 * Milliseconds. The server sends something every 15 s; after three intervals of silence the connection counts as dead,
 * whatever TCP reports.
 */
const longestSilence = 45_000;

class StreamRefusedError extends Error {
  readonly answer: ApiError;
  constructor(answer: ApiError) {
    super(answer.message);
    this.answer = answer;
  }
}

const isFinal = (event: RunEvent) => event.type === 'finished' || event.type === 'failed';

/**
 * Required field of each event type. Checked by hand: the contract's schema would bring in a parser as large as this
 * page.
 */
const requiredFields: Record<RunEvent['type'], readonly [field: string, type: 'string' | 'number' | 'object']> = {
  text: ['text', 'string'],
  reasoning: ['text', 'string'],
  note: ['text', 'string'],
  source: ['text', 'string'],
  citation: ['fileId', 'number'],
  link: ['url', 'string'],
  tool: ['call', 'object'],
  usage: ['outputTokens', 'number'],
  finished: ['reason', 'string'],
  failed: ['error', 'object'],
};
const rules = new Map<unknown, readonly [string, string]>(Object.entries(requiredFields));

function isRunEvent(value: unknown): value is RunEvent {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const rule = rules.get(value.type);
  const fields = new Map<string, unknown>(Object.entries(value));
  return rule !== undefined && typeof fields.get(rule[0]) === rule[1] && fields.get(rule[0]) !== null;
}

/** Returns null for events of a later version and for damaged ones. */
function readRunEvent(data: string): RunEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    return isRunEvent(value) ? value : null;
  } catch {
    return null;
  }
}

/** Waits for the given time, or until the browser is online again or the reader leaves. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.('online', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

/** Messages of one connection, starting after event `last`. Ends on abort, on close and on silence. */
async function* readConnection(runId: number, last: number, signal: AbortSignal, onOpen: () => void) {
  const connection = new AbortController();
  const leave = () => connection.abort();
  signal.addEventListener('abort', leave);
  let watchdog = setTimeout(leave, longestSilence);
  try {
    const headers = { accept: 'text/event-stream', ...(last > 0 ? { 'last-event-id': String(last) } : {}) };
    const address = urlOf(chat.events, { params: { id: runId } });
    const response = await fetch(address, { headers, credentials: 'same-origin', signal: connection.signal });
    if (!response.ok || !response.body) throw new StreamRefusedError(await readError(response));
    onOpen();
    const take = streamMessages();
    const decoder = new TextDecoder();
    for await (const bytes of bodyChunks(response.body)) {
      clearTimeout(watchdog);
      watchdog = setTimeout(leave, longestSilence);
      yield* take(decoder.decode(bytes, { stream: true }));
    }
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', leave);
    connection.abort();
  }
}

/** Iterates over a response body; Safari's streams are not async iterable. */
async function* bodyChunks(body: ReadableStream<Uint8Array>) {
  const source = body.getReader();
  for (let piece = await source.read(); !piece.done; piece = await source.read()) yield piece.value;
}

/** True if a retry may succeed. */
const isWorthRetrying = ({ status }: ApiError) => status < 400 || status >= 500 || status === 408 || status === 429;

/**
 * Reads the events of a run to the last one, reconnecting as needed.
 *
 * Not an EventSource, because that cannot distinguish a 401 or 404 from a lost connection (it would retry forever, or
 * give up on a 503 during a restart), cannot read Retry-After, and notices a dead connection only when TCP does.
 * Resuming with Last-Event-ID takes three lines here.
 */
export async function readRunEvents(runId: number, reader: RunReader, signal: AbortSignal): Promise<void> {
  let last = 0;
  let failures = 0;

  /** Resolves to true after the run's last event, to false if the connection ended earlier. */
  const readOnce = async (): Promise<boolean> => {
    for await (const message of readConnection(runId, last, signal, () => reader.onConnection('open'))) {
      const number = Number(message.id ?? Number.NaN);
      if (!(number > last)) continue;
      last = number;
      failures = 0;
      const event = readRunEvent(message.data);
      if (event) reader.onEvent(event);
      if (event && isFinal(event)) return true;
    }
    return false;
  };

  while (!signal.aborted) {
    let wait = 0;
    try {
      if (await readOnce()) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StreamRefusedError) {
        if (!isWorthRetrying(error.answer)) return reader.onRefused(error.answer);
        wait = (error.answer.retryAfterSeconds ?? 0) * 1000;
      }
    }
    if (signal.aborted) return;
    reader.onConnection('lost');
    const backOff = Math.min(firstWait * 2 ** failures, longestWait) * (0.75 + Math.random() / 2);
    failures += 1;
    await pause(Math.max(wait, backOff), signal);
  }
}
