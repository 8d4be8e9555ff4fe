import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '#server/config/config';
import { AppError, failureReason, StartupError } from '#server/lib/errors';

// Importing node:http would also load all of Node's fetch with its WebSocket: 6 MB.
const { createServer } = process.getBuiltinModule('node:http');

type Answer = { contentType: string; text: () => Promise<string> };
type Settings = NonNullable<Config['metrics']>;

const hashOf = (text: string) => createHash('sha256').update(text).digest();

function isAuthorized(token: Settings['token'], authorization: string | undefined): boolean {
  if (!token) return true;
  const given = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(hashOf(given), hashOf(token.reveal()));
}

/** On the main port, for holders of the token. */
export function metricsRoute(app: FastifyInstance, { token }: Settings, { contentType, text }: Answer) {
  app.get('/metrics', { config: { access: 'operation', anyHost: true } }, async (request, reply) => {
    if (!isAuthorized(token, request.headers.authorization)) {
      reply.header('www-authenticate', 'Bearer');
      throw new AppError('not_signed_in', 'Missing or wrong METRICS_TOKEN.');
    }
    return reply
      .header('cache-control', 'no-store')
      .type(contentType)
      .send(await text());
  });
}

/** On a separate port. */
export async function listenForMetrics({ listen, token }: Settings, { contentType, text }: Answer) {
  if (!listen) return { close: async () => undefined };
  async function answer({ method, url, headers }: IncomingMessage, response: ServerResponse) {
    const end = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
    if (method !== 'GET' || url?.split('?', 1)[0] !== '/metrics') return end(404, 'There is only GET /metrics here.\n');
    if (!isAuthorized(token, headers.authorization)) return end(401, 'The token in METRICS_TOKEN is missing.\n');
    const body = await text();
    return response.writeHead(200, { 'content-type': contentType }).end(body);
  }
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 50;
  await new Promise<void>((resolve, reject) => {
    const { host, port } = listen;
    server.once('error', (cause) =>
      reject(new StartupError(`METRICS_PORT ${port} of ${host} cannot be used: ${failureReason(cause)}.`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
