import { createServer, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '#server/testing/app';
import { ask, clientId, newThread, until } from '#server/testing/chat';
import { readEvents } from '#server/testing/events';
import { ownTime } from '#server/testing/process-clock';
import { bareRequest } from '#server/testing/test-environment';
import { createTracing } from './collector.ts';
import { createExporter, type EndedSpan } from './exporter.ts';

const Value = z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ intValue: z.string() })]);
const Attributes = z.array(z.strictObject({ key: z.string(), value: Value }));
/** The parts of OTLP over HTTP (JSON) that are used. */
const Span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string(),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: Attributes,
  status: z.strictObject({ code: z.number() }).optional(),
});
const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span) })),
    }),
  ),
});
type Span = z.output<typeof Span>;

/** `hang`: accepts requests and never answers. */
async function startCollector(mode: 'takes' | 'hang' | 'lies' = 'takes') {
  const spans: Span[] = [];
  const requests: { path: string | undefined; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    void textOf(request).then((body) => {
      if (mode === 'hang') return;
      if (mode === 'lies') return response.writeHead(500).end('{"partialSuccess":'.repeat(10_000));
      for (const { scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: { port: number } = Object(server.address());
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, spans, requests };
}

const attribute = ({ attributes }: Span, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

test('traces a question as one, from the proxy in front to the provider, and logs its id', async () => {
  const collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20ours' };
  const app = await startApp('sqlite', { env });
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  const threadId = await newThread(ada);
  const [traceId, proxy] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const headers = { traceparent: `00-${traceId}-${proxy}-01` };
  const body = { message: 'planted@example.com asks', clientId: clientId() };
  const sent = await ada.post(`/api/threads/${threadId}/messages`, body, { headers });
  expect(sent.status).toBe(202);
  await readEvents(app, ada, sent.body.run.id);
  await app.halt();
  const mine = collector.spans.filter((span) => span.traceId === traceId);
  const [request] = mine.filter(({ parentSpanId }) => parentSpanId === proxy);
  expect(request).toMatchObject({ name: 'POST /api/threads/:id/messages', kind: 2 });
  expect(request && attribute(request, 'http.response.status_code')).toBe('202');
  const run = mine.find(({ name }) => name === 'run');
  expect(run?.parentSpanId).toBe(request?.spanId);
  const call = mine.find(({ name, parentSpanId }) => name === 'POST /v1/responses' && parentSpanId === run?.spanId);
  expect(call).toMatchObject({ kind: 3 });
  expect(call && attribute(call, 'http.response.status_code')).toBe('200');
  expect(BigInt(call?.endTimeUnixNano ?? 0) - BigInt(call?.startTimeUnixNano ?? 0)).toBeGreaterThan(0n);
  const line = app.logLines.find((text) => text.includes('"route":"/api/threads/:id/messages","status":202'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId });
  expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'of ours' } });
  expect(JSON.stringify(collector.spans)).not.toMatch(/planted|example\.com|Bearer|sk-/);
});

test('marks a provider’s rejection as a failed span, and ignores an invalid parent', async () => {
  const collector = await startCollector();
  const app = await startApp('sqlite', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } });
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  await ask(app, ada, await newThread(ada), '[[401]]');
  for (const traceparent of ['', 'x'.repeat(8_000), `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, 'ff-1-1-01'])
    expect((await bareRequest(app, 'GET', '/healthz', { traceparent })).status).toBe(200);
  await app.halt();
  const refused = collector.spans.find((span) => attribute(span, 'http.response.status_code') === '401');
  expect(refused).toMatchObject({ name: 'POST /v1/responses' });
  const health = collector.spans.filter(({ name }) => name === 'GET /healthz');
  expect(health).toHaveLength(4);
  expect(health.filter(({ parentSpanId }) => parentSpanId !== undefined)).toEqual([]);
});

test.each([
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', false],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03', true],
  ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', true],
])('takes from the parent %s whether it is sampled', (traceparent, isSampled) => {
  const tracing = createTracing({
    add: () => undefined,
    state: () => ({ waiting: 0, dropped: 0 }),
    close: async () => undefined,
  });
  expect(tracing.start('run', 'internal', { parent: traceparent }).context).toMatchObject({ isSampled });
});

test.each(['hang', 'lies'] as const)('keeps nobody waiting for a collector that does %s', async (mode) => {
  const collector = await startCollector(mode);
  const app = await startApp('sqlite', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const ada = await app.withKey('ada');
  const { events } = await ask(app, ada, await newThread(ada), 'Hello');
  expect(events.at(-1)?.event.type).toBe('finished');
  const since = ownTime();
  await app.stop();
  expect(ownTime() - since).toBeLessThan(10_000);
});

test('keeps a bounded number of spans that nobody takes', async () => {
  const collector = await startCollector('hang');
  const problems: unknown[] = [];
  const exporter = createExporter({
    url: `${collector.url}/v1/traces`,
    headers: {},
    resource: {},
    maxWaiting: 100,
    everyMs: 10,
    withinMs: 50,
    onProblem: (error) => problems.push(error),
  });
  const span: EndedSpan = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentId: undefined,
    name: 'GET /',
    kind: 'server',
    startedAt: 0,
    endedAt: 1,
    attributes: {},
    failure: undefined,
  };
  for (let number = 0; number < 1_000; number++) exporter.add(span);
  expect(exporter.state()).toEqual({ waiting: 100, dropped: 900 });
  await until('a problem that is told', async () => problems.length > 0);
  await exporter.close();
  expect(exporter.state()).toEqual({ waiting: 0, dropped: 1_000 });
  // Once per minute, however often it fails.
  expect(problems).toHaveLength(1);
});
