import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';
import type { SignedIn } from '#server/security/actor';
import type { ResponseRegistry } from './response-registry.ts';

const heartbeatMs = 15_000;
const streamsPerUser = 10;
/** A reader that is this far behind is cut off; it resumes from the last event it has. */
const maxUnreadBytes = 4 * 1024 * 1024;

export type EventStream = {
  /** Ready frames; several may be joined. */
  write: (frames: string) => void;
  end: () => void;
  /** Tells it at once where the stream is closed already. */
  onClose: (listener: () => void) => void;
};

/** The open streams with their users. */
type OpenStreams = Map<EventStream, number>;

/** Keeps the open streams, at most ten for a user, alive; `responses` ends them with their sessions. */
export function createEventStreams(responses: Pick<ResponseRegistry, 'endWithSession'>) {
  const open: OpenStreams = new Map();
  const heartbeat = setInterval(() => {
    for (const stream of open.keys()) stream.write(': still here\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  return {
    /** Starts the answer. */
    open(request: FastifyRequest, reply: FastifyReply, { userId, ...actor }: SignedIn): EventStream {
      refuseTooMany(open, userId);
      sendEventHeaders(request, reply);
      const stream = streamTo(reply.raw, () => open.delete(stream));
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

function refuseTooMany(open: OpenStreams, userId: number) {
  const mine = [...open.values()].filter((owner) => owner === userId).length;
  if (mine >= streamsPerUser)
    throw new AppError('rate_limited', 'Too many conversations are being followed at once. Close some tabs.', {
      retryAfterSeconds: 5,
    });
}

/** Starts an answer of events. Its headers are written by hand, because Fastify leaves a hijacked reply alone. */
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

/** A stream over an answer whose headers have gone. */
export function streamTo(raw: ServerResponse, onClosed: () => void): EventStream {
  const listeners = new Set<() => void>([onClosed]);
  // A reader that left while the call was checked has closed already, which is not told again.
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

/** Writes to an answer whose headers have gone what comes from a source, which waits where the reader is slower. */
export function writerFrom(source: Source, raw: ServerResponse) {
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
    /** Nothing of the source is waited for any more. */
    release() {
      raw.off('drain', resume);
      raw.socket?.off('drain', resume);
    },
  };
}

/**
 * One piece of the answer as one: what `raw.write` would hand to the socket as four, which takes twice as long where
 * it is done for every token of every reader. Only where the answer has the connection and is written in chunks: not for
 * HTTP/1.0, and not while an answer to an earlier request of a pipeline is still being written. false: the reader is slower.
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
