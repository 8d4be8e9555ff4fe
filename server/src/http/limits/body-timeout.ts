import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

type BodyTimeouts = {
  /** For a whole JSON body. */
  jsonMs: number;
  /** An upload may take long on a slow connection, but some bytes must arrive. */
  uploadIdleMs: number;
};

export const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Aborts requests whose body does not arrive in time. */
export function limitBodyTimeout(
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
