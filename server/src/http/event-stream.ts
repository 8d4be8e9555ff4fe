import type { ServerResponse } from 'node:http';
import type { Role } from '@roster/contracts/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors';
import type { SignedIn } from './actor.ts';

const heartbeatMs = 15_000;
const sessionCheckMs = 2_500;
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

/**
 * Keeps the open streams: at most ten for a person, and none whose session has ended or whose owner has another role by
 * now. The sessions are asked for together, so that the cost does not grow with the number of streams' events.
 */
export function createEventStreams(
  liveSessions: (ids: string[]) => Promise<Map<string, Role>>,
  onError: (e: unknown) => void,
) {
  const open = new Map<EventStream, SignedIn>();

  async function closeEnded() {
    // Those that are open now: a stream that comes while the database answers was not asked for.
    const asked = [...open];
    const ids = [...new Set(asked.map(([, actor]) => actor.sessionId))];
    if (ids.length === 0) return;
    const live = await liveSessions(ids);
    for (const [stream, actor] of asked) if (live.get(actor.sessionId) !== actor.role) stream.end();
  }

  const heartbeat = setInterval(() => {
    for (const stream of open.keys()) stream.write(': still here\n\n');
  }, heartbeatMs);
  const sessionCheck = setInterval(() => closeEnded().catch(onError), sessionCheckMs);
  heartbeat.unref();
  sessionCheck.unref();

  return {
    /** Starts the answer. */
    open(request: FastifyRequest, reply: FastifyReply, actor: SignedIn): EventStream {
      const mine = [...open.values()].filter(({ userId }) => userId === actor.userId).length;
      if (mine >= streamsPerUser)
        throw new AppError('rate_limited', 'Too many conversations are being followed at once. Close some tabs.', {
          retryAfterSeconds: 5,
        });
      sendEventHeaders(request, reply);
      const { raw } = reply;
      const listeners: (() => void)[] = [];
      let isClosed = false;
      const stream: EventStream = {
        write(frames) {
          if (raw.writableEnded || raw.destroyed) return;
          writeChunk(raw, frames);
          if (raw.writableLength > maxUnreadBytes) raw.destroy();
        },
        end: () => raw.end(),
        onClose(listener) {
          if (isClosed) listener();
          else listeners.push(listener);
        },
      };
      function close() {
        isClosed = true;
        open.delete(stream);
        for (const listener of listeners.splice(0)) listener();
      }
      open.set(stream, actor);
      raw.on('close', close);
      // A reader that left while the call was checked has closed already, which is not told again.
      if (raw.destroyed) close();
      return stream;
    },
    /** Ends those of a session at once, where the session ends in this process. */
    endSessions(sessionIds: string[]) {
      for (const [stream, actor] of open) if (sessionIds.includes(actor.sessionId)) stream.end();
    },
    close() {
      clearInterval(heartbeat);
      clearInterval(sessionCheck);
      for (const stream of open.keys()) stream.end();
    },
  };
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

/**
 * One piece of the answer in one string: what `raw.write` would hand to the socket as four, which takes twice as long where
 * it is done for every token of every reader. Only where the answer has the connection and is written in chunks: not for
 * HTTP/1.0, and not while an answer to an earlier request of a pipeline is still being written.
 */
function writeChunk(raw: ServerResponse, text: string) {
  const { socket } = raw;
  if (!socket || !raw.chunkedEncoding || raw.writableCorked > 0 || text === '') raw.write(text);
  else socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

export type EventStreams = ReturnType<typeof createEventStreams>;
