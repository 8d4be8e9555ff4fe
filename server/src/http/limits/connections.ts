import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerToUnreadable } from '#server/http/error-handler';
import { AppError } from '#server/lib/errors';
import { hasBody, limitBodyTimeout } from './body-timeout.ts';

/** How long a connection may take for what. None stays open by doing nothing, or by doing it slowly. */
export const usualTimes = {
  /** From its beginning, or the first byte of a request, to the end of the headers. */
  headersMs: 10_000,
  /** How often Node looks for those that are over this time. */
  checkEveryMs: 1_000,
  /** For the whole of a JSON body. */
  jsonMs: 30_000,
  /** An upload may take long on a slow line, but something has to arrive. */
  uploadIdleMs: 30_000,
  /** For the whole of any request. */
  requestMs: 15 * 60_000,
  /** While an answer waits to be read, or to be made. */
  stalledMs: 5 * 60_000,
  /** At a stop behind a proxy: until it has seen that this process is not ready. That of deploy/proxies/haproxy.cfg takes four seconds. */
  noticedMs: 5_000,
  /** At a stop: for requests that are under way, but for answers of models, which have their own time. */
  endingMs: 2_000,
};
export type ConnectionTimes = typeof usualTimes;

/** Of the second that a refused sender has to read its answer. The rest is for a busy machine. */
const readingMs = 800;

/** At once on one connection. Browsers and proxies wait for each answer; a client that does not could have us hold any number. */
const requestsAtOnce = 8;

const leaving = new WeakSet<Socket>();

/**
 * Ends a connection: what was written goes out, what still comes is thrown away, and after a moment nothing of it is
 * left. Destroyed at once, with bytes unread, the network would take the answer away from its reader.
 */
export function letGo(socket: Socket) {
  if (leaving.has(socket)) return;
  leaving.add(socket);
  const timer = setTimeout(() => socket.destroy(), readingMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  });
  socket.end();
  socket.resume();
}

/** Holds the times, and ends connections whose request was refused. */
export function guardConnections(app: FastifyInstance, times: ConnectionTimes) {
  const answers = new WeakMap<Socket, ServerResponse>();
  const underWay = new WeakMap<Socket, number>();

  function refuse(error: Error, socket: Socket) {
    if (leaving.has(socket)) return;
    const answer = answers.get(socket);
    // In the middle of an answer another one would only spoil it.
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (!isAnswering && socket.writable) socket.write(answerToUnreadable(error));
    letGo(socket);
  }

  app.addHook('onRequest', async ({ raw: { socket } }, { raw: answer }) => {
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    answer.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    if (count > requestsAtOnce) {
      socket.destroy();
      throw new AppError('rate_limited', 'Too many requests at once on one connection.');
    }
    answers.set(socket, answer);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { raw } = request;
    if (raw.complete || !hasBody(request)) return payload;
    const { socket } = raw;
    reply.header('connection', 'close');
    // What Node calls once such an answer is written.
    socket.destroySoon = () => letGo(socket);
    raw.resume();
    // An answer in one piece that cannot be written down to the network by then is not being read.
    if (typeof payload === 'string' || Buffer.isBuffer(payload))
      setTimeout(() => socket.destroy(), readingMs + 100).unref();
    return payload;
  });
  limitBodyTimeout(app, times, refuse);
  // Expectations other than of a "100 Continue" are ignored: Node’s own refusal would leave the body coming.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return { refuse };
}
