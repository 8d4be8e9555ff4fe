import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Agent, Dispatcher } from 'undici';
import { connectorBy, noProxy, type ProxyFor } from '#server/outbound/proxy';
import type { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { failureOf } from './failures.ts';
import { jsonWithoutKey } from './masking.ts';
import { createStreamingBody, type StreamingBody } from './streaming-body.ts';
import { defaultProviderTimeouts, type ProviderTimeouts } from './timeouts.ts';

export type ProviderCall = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL; parts from outside are checked by the caller. */
  path: string;
  apiKey: Secret;
  body?: unknown;
  /** The same as JSON that is written already, instead of `body`. */
  text?: string;
  /** A form that is sent as it is read, instead of `body`: only without retries. */
  form?: { contentType: string; contentLength: number; content: Readable };
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** How many retries, before the first byte only. */
  retries?: number;
  /** Until the response begins. */
  firstByteMs?: number;
  /** Asks for an answer: as long as it is true, no word has come, and the first one has its own time. */
  awaitsWord?: () => boolean;
  /** Between two packets of the body. */
  silentMs?: number | undefined;
  /** Told of each wait that the provider asks for, in seconds. */
  onWait?: (seconds: number) => void;
  /** Told whether a request is under way, or Roster waits between two attempts. */
  onAsking?: ((isAsked: boolean) => void) | undefined;
};

/** Bytes of one page of a list. */
export const listLimit = 5 * 1024 * 1024;
const errorBodyLimit = 64 * 1024;
const longestWaitSeconds = 60;

export type ProviderResponse = { statusCode: number; headers: IncomingHttpHeaders; body: StreamingBody };

type Observed = {
  /** Told of each attempt that failed. */
  onFailure?: ((code: ProviderError['code']) => void) | undefined;
  /** What each request goes through. */
  outgoing?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** By what the provider is reached. */
  proxyFor?: ProxyFor | undefined;
};

/** The one way to the provider: fixed base URL, no redirects, time limits, retries before the first byte. */
export function createProviderHttp(
  baseUrl: string,
  {
    beginsMs,
    silentMs,
    firstTokenMs = beginsMs,
  }: Pick<ProviderTimeouts, 'beginsMs' | 'silentMs'> & Partial<ProviderTimeouts> = defaultProviderTimeouts,
  { onFailure, outgoing, proxyFor = noProxy }: Observed = {},
) {
  let agent: Agent | undefined;
  let connecting: ReturnType<typeof connect> | undefined;
  /** Loaded with the first call: an idle server needs no memory for it. Once, because an `import()` for each call is not free. */
  const connections = () => {
    connecting ??= connect();
    return connecting;
  };
  async function connect() {
    const undici = await import('undici');
    agent = new undici.Agent({
      connect: connectorBy(proxyFor, undici.buildConnector, { timeout: 10_000 }),
      headersTimeout: beginsMs,
      // A look every half second, however long it is; `dispatched` has a timer for each body.
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
    });
    return outgoing ? agent.compose(outgoing) : agent;
  }
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/$/, '');

  async function once(call: ProviderCall): Promise<ProviderResponse> {
    const { method, path, apiKey, body, text, form, headers, signal, awaitsWord, silentMs: quietMs = silentMs } = call;
    const firstByteMs = call.firstByteMs ?? (awaitsWord && firstTokenMs);
    const dispatcher = await connections();
    try {
      const request = {
        origin,
        path: `${basePath}${path}`,
        method,
        headers: {
          authorization: `Bearer ${apiKey.reveal()}`,
          accept: 'application/json, text/event-stream',
          ...((body !== undefined || text !== undefined) && { 'content-type': 'application/json' }),
          ...(form && { 'content-type': form.contentType, 'content-length': String(form.contentLength) }),
          ...headers,
        },
        body: form ? form.content : (text ?? (body === undefined ? null : JSON.stringify(body))),
        ...(firstByteMs !== undefined && { headersTimeout: firstByteMs }),
      };
      const firstMs = Math.max(firstTokenMs, quietMs);
      const patience = () => (awaitsWord?.() ? firstMs : quietMs);
      return await dispatched(dispatcher, request, { signal, silentMs: quietMs, patience });
    } catch (error) {
      throw signal?.aborted ? signal.reason : networkFailure(error);
    }
  }

  /** @throws ProviderError for anything but a success */
  async function send(call: ProviderCall): Promise<ProviderResponse> {
    const retries = call.retries ?? 2;
    for (let attempt = 0; ; attempt++) {
      call.onAsking?.(true);
      const failure = await once(call).then(
        async (response) => {
          if (response.statusCode >= 200 && response.statusCode < 300) return response;
          const body = await bodyText(response.body, errorBodyLimit);
          return failureOf(response.statusCode, body, response.headers, call.apiKey);
        },
        (error: unknown) => {
          if (error instanceof ProviderError) return error;
          throw error;
        },
      );
      if (!(failure instanceof ProviderError)) return failure;
      onFailure?.(failure.code);
      call.onAsking?.(false);
      const seconds = attempt < retries && isWorthRepeating(failure) ? pause(attempt, failure.retryAfterSeconds) : null;
      if (seconds === null) throw failure;
      if (failure.retryAfterSeconds !== undefined) call.onWait?.(seconds);
      await wait(seconds * 1000, undefined, call.signal ? { signal: call.signal } : {}).catch(() => {
        throw call.signal?.reason;
      });
    }
  }

  async function wholeText(call: ProviderCall & { limit: number }): Promise<string> {
    const response = await send(call);
    return bodyText(response.body, call.limit);
  }

  /** All attempts and waits together. */
  async function textWithin(ms: number, call: ProviderCall & { limit: number }): Promise<string> {
    const controller = new AbortController();
    const tooLate = noAnswerInTime();
    const timer = setTimeout(() => controller.abort(tooLate), ms);
    try {
      return await wholeText({ ...call, signal: controller.signal });
    } catch (error) {
      throw controller.signal.aborted ? tooLate : error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    send,
    /** A JSON response, read whole. @throws ProviderError */
    async json(call: ProviderCall & { limit: number; withinMs?: number }): Promise<unknown> {
      const text = await (call.withinMs === undefined ? wholeText(call) : textWithin(call.withinMs, call));
      try {
        return JSON.parse(jsonWithoutKey(text, call.apiKey));
      } catch (cause) {
        throw new ProviderError('provider_unavailable', 'The provider’s answer could not be read.', { cause });
      }
    },
    /** Aborts open requests, which are retried later: a provider that never responds must not delay a stop. */
    close: async () => agent?.destroy(),
  };
}

export type ProviderHttp = ReturnType<typeof createProviderHttp>;

/** Resolves when the response begins. Rejects, and breaks the body off, with the reason of the signal. */
function dispatched(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, silentMs, patience }: { signal: AbortSignal | undefined; silentMs: number; patience: () => number },
): Promise<ProviderResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let arriving: ReturnType<typeof createStreamingBody> | undefined;
    let silence: NodeJS.Timeout | undefined;
    let heardAt = 0;
    signal?.throwIfAborted();
    const abort = () => {
      controller?.abort(signal?.reason);
      // It may wait for a connection still.
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    /** One timer that looks at the clock: to set it anew with each packet takes longer. */
    function listen() {
      const restMs = heardAt + patience() - performance.now();
      silence = setTimeout(
        () => {
          // Whoever reads is slower, which is no fault of the sender.
          if (controller?.paused) heardAt = performance.now();
          if (heardAt + patience() > performance.now()) listen();
          else controller?.abort(noAnswerInTime());
          // Patience ends with the first word, which nobody tells of here.
        },
        Math.min(restMs, silentMs),
      ).unref();
    }
    function end(error: Error | null) {
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      if (arriving) arriving.end(error);
      else reject(error);
    }
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (signal?.aborted) started.abort(signal.reason);
      },
      onResponseStart(started, statusCode, headers) {
        if (statusCode < 200) return;
        arriving = createStreamingBody(started);
        heardAt = performance.now();
        listen();
        resolve({ statusCode, headers, body: arriving.body });
      },
      onResponseData(_started, chunk) {
        heardAt = performance.now();
        arriving?.push(chunk);
      },
      onResponseEnd: () => end(null),
      onResponseError: (_started, error) => end(error),
    });
  });
}

/** Only failures that a retry may overcome: time-outs, conflicts, limits, server errors, the network; never a lack of credit. */
function isWorthRepeating({ code, status }: ProviderError): boolean {
  if (code === 'insufficient_quota') return false;
  return status === undefined ? code === 'provider_unreachable' : [408, 409, 429].includes(status) || status >= 500;
}

/** Seconds until the next attempt: as the provider asks, else 0.5 doubling to 8, less up to a quarter. */
function pause(attempt: number, asked: number | undefined): number | null {
  if (asked !== undefined) return asked <= longestWaitSeconds ? asked : null;
  return Math.min(8, 0.5 * 2 ** attempt) * (1 - Math.random() * 0.25);
}

async function bodyText(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit) throw new ProviderError('provider_unavailable', 'The provider’s answer is too large.');
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkFailure(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const noAnswerInTime = (cause?: unknown) =>
  new ProviderError('provider_timeout', 'The provider did not answer in time.', { cause });

export function networkFailure(cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_HEADERS_TIMEOUT')
    return noAnswerInTime(cause);
  return new ProviderError('provider_unreachable', 'The provider could not be reached.', { cause });
}
