import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import { httpStatusOf, ToolServerError, toToolServerError } from '#server/features/tool-servers/shared/failure';
import { parseExact } from '#server/lib/exact-json';
import { isObject } from '#server/lib/is-object';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import { mcpFetch } from './fetch.ts';

type McpServer = { url: string; credentials: Record<string, string> };
export type Ask = (method: 'tools/list' | 'tools/call', params: Record<string, unknown>) => Promise<unknown>;
/** `secrets`: what was sent along, and is masked in what comes back. */
export type Work<T> = (ask: Ask, secrets: readonly string[]) => Promise<T>;
export type Bounds = { withinMs: number; bodyLimit: number; signal: AbortSignal };

/** Loaded when the first server is asked. */
const load = async () => ({
  ...(await import('@modelcontextprotocol/sdk/client/index.js')),
  ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
});

/** Answers are read within Roster's limits, not by the schemas of the SDK. */
const Anything = z.looseObject({});

type Session = { ask: Ask; sessionId: () => string | undefined; end: () => Promise<void> };

type Reach = { outgoing: SsrfGuard; server: McpServer; bounds: Bounds; endMs: number };

/** Connection to a server for one session. `broken` fires for failures that the client itself ignores. */
async function connection({ outgoing, server: { url, credentials }, bounds, endMs }: Reach) {
  const { StreamableHTTPClientTransport } = await load();
  const until = performance.now() + bounds.withinMs;
  const broken = new AbortController();
  let isEnding = false;
  let answered = '';
  const http = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (address, init) =>
      mcpFetch({
        outgoing,
        origin: new URL(url).origin,
        credentials,
        withinMs: () => (isEnding ? endMs : until - performance.now()),
        bodyLimit: bounds.bodyLimit,
        signal: isEnding ? AbortSignal.timeout(endMs) : bounds.signal,
        onFailure: (error) => broken.abort(error),
        onAnswer: (text) => {
          answered = text;
        },
      })(address, init),
  });
  // The SDK's transport returns `undefined` where its own type wants the field omitted.
  const transport: Transport = {
    start: () => http.start(),
    send: (message) => http.send(message),
    close: () => http.close(),
    setProtocolVersion: (version) => http.setProtocolVersion(version),
  };
  http.onmessage = (message) => transport.onmessage?.(message);
  http.onclose = () => transport.onclose?.();
  http.onerror = (error) => transport.onerror?.(error);
  return {
    transport,
    broken: broken.signal,
    sessionId: () => http.sessionId,
    /** Text of the last answer. */
    answered: () => answered,
    /** Failures are ignored: a session that is not ended expires by itself. */
    async terminate() {
      isEnding = true;
      await http.terminateSession().catch(() => undefined);
    },
  };
}

/** Rejects if the connection breaks before the answer. */
function orBroken<T>(broken: AbortSignal, work: Promise<T>): Promise<T> {
  const breaks = new Promise<never>((_resolve, reject) => {
    if (broken.aborted) reject(broken.reason);
    else broken.addEventListener('abort', () => reject(broken.reason), { once: true });
  });
  return Promise.race([work, breaks]);
}

/**
 * The SDK reads numbers as JavaScript does. Structured content is parsed again, so that an id keeps its last digits.
 */
function withExactNumbers(result: z.output<typeof Anything>, text: string): unknown {
  if (result.structuredContent === undefined) return result;
  const messages = [parseExact(text)].flat();
  const answer = messages.map((message) => (isObject(message) ? message.result : undefined)).find(isObject);
  return { ...result, structuredContent: answer?.structuredContent ?? result.structuredContent };
}

/** Connects. */
async function begin(reach: Reach): Promise<Session> {
  const { Client } = await load();
  const { transport, broken, sessionId, answered, terminate } = await connection(reach);
  const client = new Client({ name: 'Roster', version: '1.0.0' }, { capabilities: {} });
  // The guard has the time limit; the SDK's own only has to be later.
  const options = { timeout: reach.bounds.withinMs + 5_000 };
  try {
    await orBroken(broken, client.connect(transport, options));
  } catch (error) {
    const isGone = httpStatusOf(error) === 404 && sessionId() !== undefined;
    await client.close();
    throw isGone ? new SessionExpiredError('gone', { cause: error }) : error;
  }
  return {
    async ask(method, params) {
      const result = await orBroken(broken, client.request({ method, params }, Anything, options));
      return withExactNumbers(result, answered());
    },
    sessionId,
    async end() {
      await terminate();
      await client.close();
    },
  };
}

class SessionExpiredError extends Error {}

/** Asks servers of the Model Context Protocol, each piece of work in its own session. */
export function mcpClient(outgoing: SsrfGuard, times: Pick<ToolTimeouts, 'endMs'>) {
  const ending = new Set<Promise<void>>();

  async function attempt<T>(server: McpServer, bounds: Bounds, progress: { called: boolean }, work: Work<T>) {
    const session = await begin({ outgoing, server, bounds, endMs: times.endMs });
    try {
      return await work((method, params) => {
        if (method === 'tools/call') progress.called = true;
        return session.ask(method, params);
      }, Object.values(server.credentials));
    } catch (error) {
      const isGone = httpStatusOf(error) === 404 && session.sessionId() !== undefined && !progress.called;
      throw isGone ? new SessionExpiredError('gone', { cause: error }) : error;
    } finally {
      const end = session.end().finally(() => ending.delete(end));
      ending.add(end);
    }
  }

  return {
    /**
     * A session that its server has forgotten is started again, once, unless a tool was called.
     * @throws ToolServerError
     */
    async inSession<T>(server: McpServer, bounds: Bounds, work: Work<T>): Promise<T> {
      const progress = { called: false };
      try {
        return await attempt(server, bounds, progress, work).catch((error: unknown) => {
          if (error instanceof SessionExpiredError) return attempt(server, bounds, progress, work);
          throw error;
        });
      } catch (error) {
        if (bounds.signal.aborted)
          throw new ToolServerError('The call was stopped.', { mayHaveRun: progress.called, cause: error });
        throw toToolServerError(error instanceof SessionExpiredError ? error.cause : error, {
          called: progress.called,
          secrets: Object.values(server.credentials),
        });
      }
    },
    close: () => Promise.all(ending),
  };
}

export type McpClient = ReturnType<typeof mcpClient>;
