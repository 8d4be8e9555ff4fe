import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';
import type { SignedInUser } from '#server/security/actor';
import type { ResponseRegistry } from './response-registry.ts';

const heartbeatMs = 15_000;
const streamsPerUser = 10;
/** A reader this far behind is disconnected; it resumes from its last event. */
const maxUnreadBytes = 4 * 1024 * 1024;

export type EventStream = {
  /** Takes complete frames; several may be joined. */
  write: (frames: string) => void;
  end: () => void;
  /** Calls the listener at once if the stream is already closed. */
  onClose: (listener: () => void) => void;
};

/** The open streams with their user ids. */
type OpenStreams = Map<EventStream, number>;

/** Keeps open streams alive, at most ten per user; `responses` ends them with their sessions. */
export function createEventStreams(responses: Pick<ResponseRegistry, 'endWithSession'>) {
  const open: OpenStreams = new Map();
  const heartbeat = setInterval(() => {
    for (const stream of open.keys()) stream.write(': still here\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  return {
    /** Starts the response. */
    open(request: FastifyRequest, reply: FastifyReply, { userId, ...actor }: SignedInUser): EventStream {
      enforceStreamLimit(open, userId);
      sendEventHeaders(request, reply);
      const stream = createStream(reply.raw, () => open.delete(stream));
      if (!reply.raw.destroyed) open.set(stream, userId);
      responses.endWithSession(reply.raw, { userId, ...actor }, stream.end);
      return stream;
    },
    close() {
      clearInterval(heartbeat);
      for (const stream of open.keys()) stream.end();
    },
  };
}

function enforceStreamLimit(open: OpenStreams, userId: number) {
  const mine = [...open.values()].filter((owner) => owner === userId).length;
  if (mine >= streamsPerUser)
    throw new AppError('rate_limited', 'Too many conversations are open at once. Close some tabs.', {
      retryAfterSeconds: 5,
    });
}

/** Starts an event stream response. The headers are written by hand because Fastify skips hijacked replies. */
export function sendEventHeaders(request: FastifyRequest, reply: FastifyReply) {
  reply.hijack();
  const { raw } = reply;
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.flushHeaders();
  request.raw.socket.setNoDelay(true);
}

/** A stream over a response whose headers have been sent. */
export function createStream(raw: ServerResponse, onClosed: () => void): EventStream {
  const listeners = new Set<() => void>([onClosed]);
  // A reader that left during the checks has already closed; `close` will not fire again.
  let isClosed = raw.destroyed;
  raw.once('close', () => {
    isClosed = true;
    for (const listener of listeners) listener();
    listeners.clear();
  });
  return {
    write(frames) {
      if (raw.writableEnded || raw.destroyed) return;
      writeChunk(raw, frames);
      if (raw.writableLength > maxUnreadBytes) raw.destroy();
    },
    end: () => raw.end(),
    onClose(listener) {
      if (isClosed) listener();
      else listeners.add(listener);
    },
  };
}

type Source = { pause: () => unknown; resume: () => unknown };

/**
 * Writes the chunks of a source to a response whose headers have been sent; pauses the source if the reader is slower.
 */
export function createWriter(source: Source, raw: ServerResponse) {
  let isWaiting = false;
  const resume = () => {
    isWaiting = false;
    source.resume();
  };
  raw.on('drain', resume);
  return {
    write(chunk: string | Buffer) {
      if (raw.destroyed || writeChunk(raw, chunk)) return;
      source.pause();
      if (!isWaiting) raw.socket?.once('drain', resume);
      isWaiting = true;
    },
    /** Stops pausing and resuming the source. */
    release() {
      raw.off('drain', resume);
      raw.socket?.off('drain', resume);
    },
  };
}

/**
 * Writes a chunk with one socket write: `raw.write` makes four, which takes twice as long when done for every token of
 * every reader. Only for chunked responses that own the socket: not for HTTP/1.0, nor while an earlier pipelined
 * response is still being written. false: the reader is slower.
 */
function writeChunk(raw: ServerResponse, chunk: string | Buffer): boolean {
  const { socket } = raw;
  if (chunk.length === 0) return true;
  if (!socket || !raw.chunkedEncoding || raw.writableCorked > 0) return raw.write(chunk);
  const head = `${Buffer.byteLength(chunk).toString(16)}\r\n`;
  return socket.write(typeof chunk === 'string' ? `${head}${chunk}\r\n` : framed(head, chunk));
}

function framed(head: string, chunk: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(head.length + chunk.length + 2);
  whole.write(head, 'latin1');
  chunk.copy(whole, head.length);
  whole.write('\r\n', head.length + chunk.length, 'latin1');
  return whole;
}

export type EventStreams = ReturnType<typeof createEventStreams>;
