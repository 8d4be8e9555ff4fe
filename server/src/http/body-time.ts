import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerUnreadableRequest } from './error-handler.ts';

const usualLimits = {
  /** For the whole of a JSON body. */
  jsonMs: 30_000,
  /** An upload may take long on a slow line, but something has to arrive. */
  uploadIdleMs: 30_000,
  lookEveryMs: 5_000,
};
/** For the whole of any request; Node enforces it. */
export const longestRequestMs = 15 * 60_000;

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Ends requests whose body does not arrive in time. */
export function limitBodyTime(app: FastifyInstance, limits = usualLimits) {
  const { jsonMs, uploadIdleMs, lookEveryMs } = limits;
  app.addHook('onRequest', async (request) => {
    if (!hasBody(request)) return;
    const { raw } = request;
    const { socket } = raw;
    let lastProgress = performance.now();
    let seen = socket.bytesRead;
    const isUpload = request.routeOptions.config.accepts === 'multipart';
    const timer = setInterval(() => {
      if (isUpload && socket.bytesRead > seen) {
        seen = socket.bytesRead;
        lastProgress = performance.now();
      }
      if (performance.now() - lastProgress < (isUpload ? uploadIdleMs : jsonMs)) return;
      clearInterval(timer);
      answerUnreadableRequest(new Error('The body did not arrive in time'), socket);
    }, lookEveryMs).unref();
    const done = () => clearInterval(timer);
    raw.once('end', done);
    raw.once('close', done);
  });
}
