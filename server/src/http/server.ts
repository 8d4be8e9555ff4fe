import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from '#server/config/config';
import type { Metrics } from '#server/metrics/metrics';
import type { Tracing } from '#server/tracing/tracing';
import { noTracing, type Span } from '#server/tracing/tracing';
import { handleErrors, handleUndecodableUrl } from './error-handler.ts';
import { type ConnectionTimeouts, defaultTimeouts, enforceTimeouts } from './limits/connections.ts';
import { readJsonBodies } from './limits/json-body.ts';
import { protect, securityHeaders } from './protection/protection.ts';
import { withoutTrailingSlash } from './public-api/router.ts';
import { compressResponses } from './static/compression.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: tracing is off. */
    span: Span | null;
  }
}

/** Makes each request a span, the parent of what is done for it. */
function traceRequests(app: FastifyInstance, tracing: Tracing) {
  app.decorateRequest('span', null);
  if (tracing === noTracing) return;
  app.addHook('onRequest', (request, _reply, next) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    const parent = String(headers.traceparent ?? '');
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = tracing.start(`${method} ${route}`, 'server', { attributes, parent });
    request.span = span;
    tracing.within(span, next);
  });
  // Body parsing runs in the context of the connection, which belongs to no request.
  app.addHook('preHandler', (request, _reply, next) => {
    if (request.span) tracing.within(request.span, next);
    else next();
  });
  app.addHook('onResponse', async ({ span }, { statusCode }) => {
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
}

const usualBodyLimit = 256 * 1024;

type Around = { metrics: Pick<Metrics, 'request'>; tracing: Tracing; times?: ConnectionTimeouts | undefined };

/** A server without routes: limits, protection, error handling and log. */
export function createServer(
  config: Config,
  log: FastifyBaseLogger,
  { metrics, tracing, times = defaultTimeouts }: Around,
) {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomBytes(9).toString('base64url'),
    trustProxy: config.trustProxy > 0 && ((_address: string, hop: number) => hop < config.trustProxy),
    bodyLimit: usualBodyLimit,
    requestTimeout: times.requestMs,
    connectionTimeout: times.stalledMs,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: ({ url = '/' }) => withoutTrailingSlash(url),
    http: {
      maxHeaderSize: 16 * 1024,
      // protect() requires it, except for load balancers.
      requireHostHeader: false,
      headersTimeout: times.headersMs,
      connectionsCheckingInterval: times.checkEveryMs,
    },
    forceCloseConnections: true,
    clientErrorHandler: (error, socket) => connections.refuse(error, socket),
    frameworkErrors: handleUndecodableUrl(securityHeaders(config)),
  });
  app.server.maxHeadersCount = 100;
  const connections = enforceTimeouts(app, times);
  traceRequests(app, tracing);
  protect(app, config);
  readJsonBodies(app, usualBodyLimit);
  handleErrors(app);
  compressResponses(app);
  app.addHook('onResponse', async (request, reply) => {
    const { id: requestId, method, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.request(method, routeOptions.url, status, elapsedTime / 1_000);
    const traceId = request.span?.context?.traceId;
    const ms = Math.round(elapsedTime);
    log.info({ requestId, method, route: routeOptions.url, status, ms, ...(traceId && { traceId }) }, 'request');
  });
  return app;
}
