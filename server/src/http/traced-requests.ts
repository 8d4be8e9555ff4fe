import type { FastifyInstance } from 'fastify';
import { noTracing, type Span, type Tracing } from '#server/tracing/tracing';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: tracing is off. */
    span: Span | null;
  }
}

/** Makes each request a span, the parent of what is done for it. */
export function traceRequests(app: FastifyInstance, tracing: Tracing) {
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
