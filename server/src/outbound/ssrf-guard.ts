import type { Agent, Dispatcher } from 'undici';
import { type AllowedHosts, normalizeHost } from './allowed-hosts.ts';
import { AddressBlockedError, OutboundRequestError, outboundFailure } from './errors.ts';
import { addressProblem, guardedConnector, type Lookup } from './guarded-connector.ts';
import type { ProxyFor } from './proxy.ts';

export type OutboundRequest = {
  url: URL;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  /** Sent to the origin of `url` only, wherever it redirects. */
  credentials?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** From the first byte sent to the last byte read. */
  withinMs: number;
  /** The maximum number of response bytes to read. */
  bodyLimit: number;
  redirects: 'follow' | 'leave';
};

export type OutboundResponse = {
  status: number;
  headers: Headers;
  /** @throws OutboundRequestError */
  body: AsyncGenerator<Uint8Array, void>;
  /** Discards the body instead of reading it. */
  drop: () => void;
};

const headerBytes = 16 * 1024;
const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Makes the error for a timeout of the other side. */
type MakeTimeoutError = (error: unknown, sent: boolean) => unknown;

type Options = { allowed: AllowedHosts; lookup?: Lookup; proxyFor?: ProxyFor };

/** Destroying an unread body emits an error, which would end the process if unhandled. */
const discardBody = (body: Dispatcher.ResponseData['body']) => body.on('error', () => undefined).destroy();

async function* bounded(
  { body }: Dispatcher.ResponseData,
  host: string,
  limit: number,
  tooLate: MakeTimeoutError,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit)
        throw new OutboundRequestError(`${host} answers with more than ${Math.floor(limit / 1024)} KB.`, {
          sent: true,
        });
      yield chunk;
    }
  } catch (error) {
    throw outboundFailure(host, tooLate(error, true), true);
  } finally {
    discardBody(body);
  }
}

function headersOf(raw: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

function answerOf(
  response: Dispatcher.ResponseData,
  host: string,
  bodyLimit: number,
  tooLate: MakeTimeoutError,
): OutboundResponse {
  const encoding = String(response.headers['content-encoding'] ?? '');
  if (!/^(identity)?$/i.test(encoding)) {
    discardBody(response.body);
    throw new OutboundRequestError(`${host} compresses its answers, which it was not asked to do.`, { sent: true });
  }
  return {
    status: response.statusCode,
    headers: headersOf(response.headers),
    body: bounded(response, host, bodyLimit, tooLate),
    drop: () => discardBody(response.body),
  };
}

/** Reports when a connection starts to write the request. */
const reportStart = (to: Dispatcher.DispatchHandler, onStart: () => void): Dispatcher.DispatchHandler => ({
  onRequestStart(...args) {
    onStart();
    to.onRequestStart?.(...args);
  },
  onRequestUpgrade: (...args) => to.onRequestUpgrade?.(...args),
  onResponseStart: (...args) => to.onResponseStart?.(...args),
  onResponseData: (...args) => to.onResponseData?.(...args),
  onResponseEnd: (...args) => to.onResponseEnd?.(...args),
  onResponseError: (...args) => to.onResponseError?.(...args),
});

/** The target of a redirect; null: there is none. */
function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | null {
  const { location } = headers;
  return redirectStatuses.has(statusCode) && typeof location === 'string' ? URL.parse(location, from.href) : null;
}

/** The next request after a redirect: without credentials for another origin; a GET if the status says so. */
function requestAfterRedirect(call: OutboundRequest, to: URL, status: number): OutboundRequest {
  const { credentials, body, ...rest } = call;
  const keepsBody = status === 307 || status === 308;
  return {
    ...rest,
    url: to,
    ...(to.origin === call.url.origin && credentials && { credentials }),
    ...(keepsBody ? body !== undefined && { body } : { method: call.method === 'DELETE' ? 'DELETE' : 'GET' }),
  };
}

type LoadedUndici = { undici: typeof import('undici'); agent: Agent };

/** One request up to the start of its response, without following redirects. */
async function sendOnce(
  { undici, agent }: LoadedUndici,
  call: OutboundRequest,
  signal: AbortSignal,
  tooLate: MakeTimeoutError,
) {
  let sent = false;
  const noted = () => {
    sent = true;
  };
  try {
    return await undici.request(call.url, {
      dispatcher: agent.compose((dispatch) => (request, handler) => dispatch(request, reportStart(handler, noted))),
      method: call.method,
      headers: { ...call.headers, ...call.credentials },
      body: call.body ?? null,
      // The signal limits the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    });
  } catch (error) {
    throw outboundFailure(normalizeHost(call.url.hostname), tooLate(error, sent), sent);
  }
}

/** @throws AddressBlockedError, OutboundRequestError, or the reason of the caller's signal */
async function sendRequest(loaded: () => Promise<LoadedUndici>, first: OutboundRequest): Promise<OutboundResponse> {
  const time = AbortSignal.timeout(first.withinMs);
  const signal = first.signal ? AbortSignal.any([first.signal, time]) : time;
  const host = normalizeHost(first.url.hostname);
  const tooLate: MakeTimeoutError = (error, sent) =>
    time.aborted && error === time.reason
      ? new OutboundRequestError(`${host} did not answer in time.`, { sent, cause: error })
      : error;
  let call = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    first.signal?.throwIfAborted();
    const wrong = addressProblem(call.url);
    if (wrong) throw new AddressBlockedError(wrong);
    const response = await sendOnce(await loaded(), call, signal, tooLate);
    const to = first.redirects === 'follow' ? redirectTarget(response, call.url) : null;
    if (!to) return answerOf(response, host, first.bodyLimit, tooLate);
    discardBody(response.body);
    call = requestAfterRedirect(call, to, response.statusCode);
  }
  throw new OutboundRequestError(`${host} redirects more than ${maxRedirects} times.`, { sent: true });
}

/**
 * SSRF guard for all URLs that users can supply. It connects only to addresses it has checked: every connection
 * resolves its host once, and every redirect is checked like a new URL.
 */
export function createSsrfGuard(options: Options) {
  let agent: Agent | undefined;
  let loading: Promise<LoadedUndici> | undefined;
  /** Loaded with the first request, to save an idle server's memory. */
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  async function load(): Promise<LoadedUndici> {
    const undici = await import('undici');
    agent = new undici.Agent({
      connect: guardedConnector(undici.buildConnector, { ...options, variable: 'TOOL_HOSTS_ALLOWED' }),
      maxHeaderSize: headerBytes,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      allowH2: false,
    });
    return { undici, agent };
  }

  return {
    /** @throws AddressBlockedError, OutboundRequestError, or the reason of `signal` */
    sendRequest: (call: OutboundRequest) => sendRequest(loaded, call),
    /** Aborts running requests: a server that never answers must not delay shutdown. */
    close: async () => agent?.destroy(),
  };
}

export type SsrfGuard = ReturnType<typeof createSsrfGuard>;
