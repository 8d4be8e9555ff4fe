import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Secret } from '#server/security/secret';
import { type AllowedHosts, normalizeHost } from './allowed-hosts.ts';
import { AddressBlockedError, NotConnectedError, OutboundRequestError, outboundFailure } from './errors.ts';
import { addressKind, parseAddress } from './ip-ranges.ts';
import { openTunnel, type ProxyFor, targetUrl, throughTunnel } from './proxy.ts';

export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

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

const connectMs = 10_000;
const headerBytes = 16 * 1024;
const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const lookUp: Lookup = (hostname) => dns.lookup(hostname, { all: true });

/** Makes the error for a timeout of the other side. */
type MakeTimeoutError = (error: unknown, sent: boolean) => unknown;

type Options = { allowed: AllowedHosts; lookup?: Lookup; proxyFor?: ProxyFor };

/** The message names no address: users must not learn what a private name resolves to. */
function rejectionReason(url: URL, address: string, allowed: AllowedHosts): string | null {
  const host = normalizeHost(url.hostname);
  const bytes = parseAddress(address);
  const port = portOf(url);
  const mayBeAllowed = `Roster’s operator can allow it with ${host}:${port} in TOOL_HOSTS_ALLOWED.`;
  if (!bytes) return `${host} leads to an address that Roster does not connect to.`;
  const destination = { host, port, address: bytes };
  const kind = addressKind(bytes);
  const isAllowed = kind === 'metadata' ? allowed.name(destination) : allowed.permit(destination);
  if (url.protocol === 'http:' && !(kind === 'loopback' && isAllowed))
    return kind === 'loopback'
      ? `${host} is the machine that Roster runs on. ${mayBeAllowed}`
      : 'The address must begin with https://.';
  if (isAllowed) return null;
  if (kind === 'metadata') return `${host} leads to an address that Roster does not connect to.`;
  if (kind !== 'public') return `${host} is in a private network. ${mayBeAllowed}`;
  return port === 443 ? null : `Port ${port} of ${host} is not allowed, only 443 is. ${mayBeAllowed}`;
}

const portOf = ({ port, protocol }: URL) => (port ? Number(port) : protocol === 'https:' ? 443 : 80);

/** The problem with a URL before it is resolved. null: none. */
export function addressProblem(url: URL): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The address must begin with https://.';
  if (url.username || url.password)
    return 'Leave user name and password out of the address; give the server a header instead.';
  return null;
}

/** Resolves a host once and checks every address. @throws AddressBlockedError */
async function checkedAddresses(url: URL, { allowed, lookup = lookUp }: Options): Promise<LookupAddress[]> {
  const host = normalizeHost(url.hostname);
  const literal = parseAddress(host);
  const addresses = literal ? [{ address: host, family: literal.kind() === 'ipv4' ? 4 : 6 }] : await lookup(host);
  for (const { address } of addresses) {
    const reason = rejectionReason(url, address, allowed);
    if (reason) throw new AddressBlockedError(reason);
  }
  if (addresses.length === 0) throw new AddressBlockedError(`${host} has no address: the name is not known.`);
  return addresses;
}

/** Returns the checked addresses, whatever the name resolves to by now. */
const fixedLookup =
  (addresses: LookupAddress[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };

/**
 * Connects through a proxy by the checked address instead of the name, which the proxy could resolve differently. TLS
 * still verifies the name.
 */
async function connectThroughProxy(url: URL, addresses: LookupAddress[], proxy: Secret) {
  // Many proxies have no IPv6.
  const [first] = addresses.toSorted((one, other) => one.family - other.family);
  if (!first) throw new AddressBlockedError(`${normalizeHost(url.hostname)} has no address.`);
  return openTunnel(proxy, first.address, portOf(url), connectMs);
}

/** Connects only to addresses that were checked for this very connection. */
function guardedConnector(build: typeof buildConnector, options: Options): buildConnector.connector {
  return (target, callback) => {
    const url = targetUrl(target);
    if (!url) return callback(new NotConnectedError('no address'), null);
    checkedAddresses(url, options).then(
      (addresses) => {
        const connect = build({ timeout: connectMs, lookup: fixedLookup(addresses), maxCachedSessions: 0 });
        const proxy = options.proxyFor?.(url);
        if (proxy) {
          connectThroughProxy(url, addresses, proxy).then(
            (socket) =>
              throughTunnel(connect, target, socket, (error, through) => {
                if (through) callback(null, through);
                else callback(new NotConnectedError('not connected', { cause: error }), null);
              }),
            (cause: unknown) => callback(new NotConnectedError('not connected', { cause }), null),
          );
          return;
        }
        connect(target, (error, socket) => {
          if (!socket) return callback(new NotConnectedError('not connected', { cause: error }), null);
          const at = parseAddress(socket.remoteAddress ?? '');
          if (at && rejectionReason(url, socket.remoteAddress ?? '', options.allowed) === null)
            return callback(null, socket);
          socket.destroy();
          callback(new NotConnectedError('connected to another address'), null);
        });
      },
      (cause: unknown) => callback(new NotConnectedError('not resolved', { cause }), null),
    );
  };
}

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

type Loaded = { undici: typeof import('undici'); agent: Agent };

/** One request up to the start of its response, without following redirects. */
async function sendOnce(
  { undici, agent }: Loaded,
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
async function send(loaded: () => Promise<Loaded>, first: OutboundRequest): Promise<OutboundResponse> {
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
  let loading: Promise<Loaded> | undefined;
  /** Loaded with the first request, to save an idle server's memory. */
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  async function load(): Promise<Loaded> {
    const undici = await import('undici');
    agent = new undici.Agent({
      connect: guardedConnector(undici.buildConnector, options),
      maxHeaderSize: headerBytes,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      allowH2: false,
    });
    return { undici, agent };
  }

  return {
    /** @throws AddressBlockedError, OutboundRequestError, or the reason of `signal` */
    send: (call: OutboundRequest) => send(loaded, call),
    /** Aborts running requests: a server that never answers must not delay shutdown. */
    close: async () => agent?.destroy(),
  };
}

export type SsrfGuard = ReturnType<typeof createSsrfGuard>;
