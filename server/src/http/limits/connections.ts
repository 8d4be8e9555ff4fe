import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unparsableResponse } from '#server/http/error-handler';
import { AppError } from '#server/lib/errors';

type BodyTimeouts = {
  /** For a whole JSON body. */
  jsonMs: number;
  /** An upload may take long on a slow connection, but some bytes must arrive. */
  uploadIdleMs: number;
};

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Aborts requests whose body does not arrive in time. */
function limitBodyTimeout(
  app: FastifyInstance,
  { jsonMs, uploadIdleMs }: BodyTimeouts,
  refuse: (error: Error, socket: Socket) => void,
) {
  app.addHook('onRequest', async (request) => {
    const { raw } = request;
    if (raw.complete || !hasBody(request)) return;
    const { socket } = raw;
    const isUpload = request.routeOptions.config.accepts === 'multipart';
    let seen = socket.bytesRead;
    function check() {
      if (isUpload && socket.bytesRead > seen) {
        seen = socket.bytesRead;
        timer.refresh();
      } else refuse(new Error('The body did not arrive in time'), socket);
    }
    const timer = setTimeout(check, isUpload ? uploadIdleMs : jsonMs).unref();
    const done = () => clearTimeout(timer);
    raw.once('end', done);
    raw.once('close', done);
  });
}

/** Time limits of a connection by phase. Neither idle nor slow clients can keep one open. */
export const defaultTimeouts = {
  /** From the connection or the first byte of a request to the end of the headers. */
  headersMs: 10_000,
  /** How often Node checks for connections over `headersMs`. */
  checkEveryMs: 1_000,
  /** For a whole JSON body. */
  jsonMs: 30_000,
  /** An upload may take long on a slow connection, but some bytes must arrive. */
  uploadIdleMs: 30_000,
  /** For any whole request. */
  requestMs: 15 * 60_000,
  /** While a response waits to be read or produced. */
  stalledMs: 5 * 60_000,
  /**
   * At shutdown behind a proxy: until the proxy has seen that this process is not ready. With
   * deploy/proxies/haproxy.cfg this takes four seconds.
   */
  noticedMs: 5_000,
  /** At shutdown: for running requests except model answers, which have their own limit. */
  endingMs: 2_000,
};
export type ConnectionTimeouts = typeof defaultTimeouts;

/**
 * The time in which a rejected sender can read the response, out of the promised second. The rest allows for a busy
 * machine.
 */
const readingMs = 800;

/**
 * Pipelined requests per connection. Browsers and proxies wait for each response; without a limit a client could make
 * us hold any number.
 */
const maxPipelinedRequests = 8;

const closing = new WeakSet<Socket>();

/**
 * Closes a connection: sends what was written, discards what still arrives, and destroys the socket after a moment.
 * Destroying it at once with unread bytes would reset the connection and lose the response.
 */
function closeGracefully(socket: Socket) {
  if (closing.has(socket)) return;
  closing.add(socket);
  const timer = setTimeout(() => socket.destroy(), readingMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  });
  socket.end();
  socket.resume();
}

/** Enforces the time limits, and closes connections whose request was rejected. */
export function enforceTimeouts(app: FastifyInstance, times: ConnectionTimeouts) {
  const answers = new WeakMap<Socket, ServerResponse>();
  const inProgress = new WeakMap<Socket, number>();

  function refuse(error: Error, socket: Socket) {
    if (closing.has(socket)) return;
    const answer = answers.get(socket);
    // A response that has started must not be followed by a second one.
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (!isAnswering && socket.writable) socket.write(unparsableResponse(error));
    closeGracefully(socket);
  }

  app.addHook('onRequest', async ({ raw: { socket } }, { raw: answer }) => {
    const count = (inProgress.get(socket) ?? 0) + 1;
    inProgress.set(socket, count);
    answer.once('close', () => inProgress.set(socket, (inProgress.get(socket) ?? 1) - 1));
    if (count > maxPipelinedRequests) {
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
    // Node calls this after the response is written.
    socket.destroySoon = () => closeGracefully(socket);
    raw.resume();
    // A response in one piece that has not been flushed to the network by then is not being read.
    if (typeof payload === 'string' || Buffer.isBuffer(payload))
      setTimeout(() => socket.destroy(), readingMs + 100).unref();
    return payload;
  });
  limitBodyTimeout(app, times, refuse);
  // Ignore any `Expect` header but "100-continue": Node’s own response would leave the body arriving.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return { refuse };
}
