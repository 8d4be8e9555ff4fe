import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyHeader } from '@roster/contracts/connections/connections';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { AddressBlockedError, NotConnectedError } from '#server/outbound/errors';
import { createProxyConnector, noProxy, type ProxyFor } from '#server/outbound/proxy';
import type { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { toProviderError } from './failures.ts';
import { maskKeyInJson } from './masking.ts';
import { createStreamingBody, type StreamingBody } from './streaming-body.ts';
import { defaultProviderTimeouts, type ProviderTimeouts } from './timeouts.ts';

export type ProviderCall = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base URL; callers validate parts from outside. */
  path: string;
  apiKey: Secret;
  body?: unknown;
  /** Serialized JSON, instead of `body`. */
  text?: string | undefined;
  /** A form that is streamed, instead of `body`: only without retries. */
  form?: { contentType: string; contentLength: number; content: Readable } | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Number of retries, before the first byte only. */
  retries?: number;
  /** Time limit until the response starts. */
  firstByteMs?: number;
  /** For answers: while it returns true no text has arrived, and the limit for the first token applies. */
  awaitsWord?: () => boolean;
  /** Time limit between two packets of the body. */
  silentMs?: number | undefined;
  /** Called with each wait that the provider asks for, in seconds. */
  onWait?: (seconds: number) => void;
  /** Called with true while a request is running, false while Roster waits between two attempts. */
  onAsking?: ((isAwaiting: boolean) => void) | undefined;
};

/** Bytes of one page of a list. */
export const listLimit = 5 * 1024 * 1024;
const errorBodyLimit = 64 * 1024;
const longestWaitSeconds = 60;

type ProviderResponse = { statusCode: number; headers: IncomingHttpHeaders; body: StreamingBody };

type HttpOptions = {
  /** Called for each failed attempt. */
  onFailure?: ((code: ProviderError['code']) => void) | undefined;
  /** Wraps every request, for tracing. */
  outgoing?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** The proxy for the provider. */
  proxyFor?: ProxyFor | undefined;
  /** Makes the connections instead, for addresses that users name. */
  connector?: ((build: typeof buildConnector) => buildConnector.connector) | undefined;
  keyHeader?: KeyHeader | undefined;
  /** Headers that belong to the key. */
  headersOf?: ((apiKey: Secret) => Record<string, string>) | undefined;
};

/** No header without a key: some servers refuse an empty one. */
function keyHeaders(apiKey: Secret, keyHeader: KeyHeader): Record<string, string> {
  const key = apiKey.reveal();
  if (key === '') return {};
  return keyHeader === 'authorization' ? { authorization: `Bearer ${key}` } : { [keyHeader]: key };
}

/** The only client for the provider: fixed base URL, no redirects, time limits, retries before the first byte. */
export function createProviderHttp(
  baseUrl: string,
  {
    beginsMs,
    silentMs,
    firstTokenMs = beginsMs,
  }: Pick<ProviderTimeouts, 'beginsMs' | 'silentMs'> & Partial<ProviderTimeouts> = defaultProviderTimeouts,
  { onFailure, outgoing, proxyFor = noProxy, connector, keyHeader = 'authorization', headersOf }: HttpOptions = {},
) {
  let agent: Agent | undefined;
  let connecting: ReturnType<typeof connect> | undefined;
  /**
   * Loaded with the first request, to save an idle server's memory. Cached, because an `import()` per request is not
   * free.
   */
  const connections = () => {
    connecting ??= connect();
    return connecting;
  };
  async function connect() {
    const undici = await import('undici');
    agent = new undici.Agent({
      connect:
        connector?.(undici.buildConnector) ??
        createProxyConnector(proxyFor, undici.buildConnector, { timeout: 10_000 }),
      headersTimeout: beginsMs,
      // undici checks this only every half second; `dispatched` has a timer for each body.
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
          ...headersOf?.(apiKey),
          ...keyHeaders(apiKey, keyHeader),
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
      throw signal?.aborted ? signal.reason : toNetworkError(error);
    }
  }

  /** @throws ProviderError unless the response is a success */
  async function sendRequest(call: ProviderCall): Promise<ProviderResponse> {
    const retries = call.retries ?? 2;
    for (let attempt = 0; ; attempt++) {
      call.onAsking?.(true);
      const failure = await once(call).then(
        async (response) => {
          if (response.statusCode >= 200 && response.statusCode < 300) return response;
          const body = await bodyText(response.body, errorBodyLimit);
          return toProviderError(response.statusCode, body, response.headers, call.apiKey);
        },
        (error: unknown) => {
          if (error instanceof ProviderError) return error;
          throw error;
        },
      );
      if (!(failure instanceof ProviderError)) return failure;
      onFailure?.(failure.code);
      call.onAsking?.(false);
      const seconds = attempt < retries && isRetryable(failure) ? retryDelay(attempt, failure.retryAfterSeconds) : null;
      if (seconds === null) throw failure;
      if (failure.retryAfterSeconds !== undefined) call.onWait?.(seconds);
      await wait(seconds * 1000, undefined, call.signal ? { signal: call.signal } : {}).catch(() => {
        throw call.signal?.reason;
      });
    }
  }

  async function wholeText(call: ProviderCall & { limit: number }): Promise<string> {
    const response = await sendRequest(call);
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
    sendRequest,
    /** A JSON response, read completely. @throws ProviderError */
    async json(call: ProviderCall & { limit: number; withinMs?: number }): Promise<unknown> {
      const text = await (call.withinMs === undefined ? wholeText(call) : textWithin(call.withinMs, call));
      try {
        return JSON.parse(maskKeyInJson(text, call.apiKey));
      } catch (cause) {
        throw new ProviderError('provider_unavailable', 'The provider’s answer could not be read.', { cause });
      }
    },
    /** Aborts running requests, which are retried later: a provider that never responds must not delay shutdown. */
    close: async () => agent?.destroy(),
  };
}

export type ProviderHttp = ReturnType<typeof createProviderHttp>;

/** Resolves when the response starts. Rejects, and aborts the body, with the signal's reason. */
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
      // The request may still be waiting for a connection.
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    /** One timer that compares the clock: resetting it with each packet is slower. */
    function listen() {
      const restMs = heardAt + patience() - performance.now();
      silence = setTimeout(
        () => {
          // The reader is slower, which is not the sender's silence.
          if (controller?.paused) heardAt = performance.now();
          if (heardAt + patience() > performance.now()) listen();
          else controller?.abort(noAnswerInTime());
          // The limit changes with the first text, which is not signalled here.
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

/**
 * Only failures that a retry may overcome: timeouts, conflicts, limits, server errors, the network; never a lack of
 * credit.
 */
function isRetryable({ code, status, cause }: ProviderError): boolean {
  if (code === 'insufficient_quota' || isBlocked(cause)) return false;
  return status === undefined ? code === 'provider_unreachable' : [408, 409, 429].includes(status) || status >= 500;
}

/** Seconds until the next attempt: as the provider asks, otherwise 0.5 doubling to 8, minus up to a quarter. */
function retryDelay(attempt: number, askedMs: number | undefined): number | null {
  if (askedMs !== undefined) return askedMs <= longestWaitSeconds ? askedMs : null;
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
    throw toNetworkError(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const noAnswerInTime = (cause?: unknown) =>
  new ProviderError('provider_timeout', 'The provider did not answer in time.', { cause });

export function toNetworkError(cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_HEADERS_TIMEOUT')
    return noAnswerInTime(cause);
  const message = isBlocked(cause) ? blocked : 'The provider could not be reached.';
  return new ProviderError('provider_unreachable', message, { cause });
}

/** Without the address, which is not shown to people who use a connection that is offered to them. */
const blocked =
  'This installation no longer allows connections to the provider’s address. Roster’s operator can allow it (CONNECTIONS, PROVIDER_HOSTS_ALLOWED).';
const isBlocked = (cause: unknown) => cause instanceof NotConnectedError && cause.cause instanceof AddressBlockedError;
