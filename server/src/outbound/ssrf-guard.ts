import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Secret } from '#server/security/secret';
import { type AllowedHosts, hostOf } from './allowed-hosts.ts';
import { AddressBlockedError, NotConnectedError, OutboundRequestError, outboundFailure } from './errors.ts';
import { addressKind, parseAddress } from './ip-ranges.ts';
import { addressOf, type ProxyFor, throughTunnel, tunnel } from './proxy.ts';

export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

export type OutboundRequest = {
  url: URL;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  /** Go to the origin of `url` and to no other, wherever it redirects to. */
  credentials?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** From the first byte sent to the last one read. */
  withinMs: number;
  /** Bytes of the answer that are read at most. */
  bodyLimit: number;
  redirects: 'follow' | 'leave';
};

export type OutboundResponse = {
  status: number;
  headers: Headers;
  /** @throws OutboundRequestError */
  body: AsyncGenerator<Uint8Array, void>;
  /** Instead of reading it. */
  drop: () => void;
};

const connectMs = 10_000;
const headerBytes = 16 * 1024;
const redirectsAtMost = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const lookUp: Lookup = (hostname) => dns.lookup(hostname, { all: true });

/** What is called a failure of the other side because its time was up. */
type TooLate = (error: unknown, sent: boolean) => unknown;

type Options = { allowed: AllowedHosts; lookup?: Lookup; proxyFor?: ProxyFor };

/** Names no address: what a private name leads to is nobody's business. */
function refusal(url: URL, address: string, allowed: AllowedHosts): string | null {
  const host = hostOf(url.hostname);
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

/** What is wrong with an address before anybody is asked where it leads. null: nothing. */
export function addressProblem(url: URL): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The address must begin with https://.';
  if (url.username || url.password)
    return 'Leave user name and password out of the address; give the server a header instead.';
  return null;
}

/** Resolves a host once, and judges every address of the answer. @throws AddressBlockedError */
async function checkedAddresses(url: URL, { allowed, lookup = lookUp }: Options): Promise<LookupAddress[]> {
  const host = hostOf(url.hostname);
  const literal = parseAddress(host);
  const addresses = literal ? [{ address: host, family: literal.kind() === 'ipv4' ? 4 : 6 }] : await lookup(host);
  for (const { address } of addresses) {
    const reason = refusal(url, address, allowed);
    if (reason) throw new AddressBlockedError(reason);
  }
  if (addresses.length === 0) throw new AddressBlockedError(`${host} has no address: the name is not known.`);
  return addresses;
}

/** Answers with what was checked, whatever the name leads to by now. */
const answerWith =
  (addresses: LookupAddress[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };

/**
 * By way of a proxy, which is told the address that was checked, not the name: it could lead elsewhere by now, or there. TLS
 * proves the name all the same.
 */
async function tunnelTo(url: URL, addresses: LookupAddress[], proxy: Secret) {
  // Many proxies have no IPv6.
  const [first] = addresses.toSorted((one, other) => one.family - other.family);
  if (!first) throw new AddressBlockedError(`${hostOf(url.hostname)} has no address.`);
  return tunnel(proxy, first.address, portOf(url), connectMs);
}

/** Connects to nothing but the addresses that were checked for this very connection. */
function guardedConnector(build: typeof buildConnector, options: Options): buildConnector.connector {
  return (target, callback) => {
    const url = addressOf(target);
    if (!url) return callback(new NotConnectedError('no address'), null);
    checkedAddresses(url, options).then(
      (addresses) => {
        const connect = build({ timeout: connectMs, lookup: answerWith(addresses), maxCachedSessions: 0 });
        const proxy = options.proxyFor?.(url);
        if (proxy) {
          tunnelTo(url, addresses, proxy).then(
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
          if (at && refusal(url, socket.remoteAddress ?? '', options.allowed) === null) return callback(null, socket);
          socket.destroy();
          callback(new NotConnectedError('connected to another address'), null);
        });
      },
      (cause: unknown) => callback(new NotConnectedError('not resolved', { cause }), null),
    );
  };
}

/** Destroyed before anybody reads it, a body emits an error, which would end the process. */
const drop = (body: Dispatcher.ResponseData['body']) => body.on('error', () => undefined).destroy();

async function* bounded(
  { body }: Dispatcher.ResponseData,
  host: string,
  limit: number,
  tooLate: TooLate,
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
    drop(body);
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
  tooLate: TooLate,
): OutboundResponse {
  const encoding = String(response.headers['content-encoding'] ?? '');
  if (!/^(identity)?$/i.test(encoding)) {
    drop(response.body);
    throw new OutboundRequestError(`${host} compresses its answers, which it was not asked to do.`, { sent: true });
  }
  return {
    status: response.statusCode,
    headers: headersOf(response.headers),
    body: bounded(response, host, bodyLimit, tooLate),
    drop: () => drop(response.body),
  };
}

/** Tells when a connection begins to write the request. */
const watched = (to: Dispatcher.DispatchHandler, onStart: () => void): Dispatcher.DispatchHandler => ({
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

/** Where a redirect leads; null: nowhere. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | null {
  const { location } = headers;
  return redirectStatuses.has(statusCode) && typeof location === 'string' ? URL.parse(location, from.href) : null;
}

/** The next request after a redirect: to another origin without credentials; a GET where the answer is elsewhere. */
function redirected(call: OutboundRequest, to: URL, status: number): OutboundRequest {
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

/** One request and the beginning of its answer, wherever that leads. */
async function once({ undici, agent }: Loaded, call: OutboundRequest, signal: AbortSignal, tooLate: TooLate) {
  let sent = false;
  const noted = () => {
    sent = true;
  };
  try {
    return await undici.request(call.url, {
      dispatcher: agent.compose((dispatch) => (request, handler) => dispatch(request, watched(handler, noted))),
      method: call.method,
      headers: { ...call.headers, ...call.credentials },
      body: call.body ?? null,
      // The signal has the time for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    });
  } catch (error) {
    throw outboundFailure(hostOf(call.url.hostname), tooLate(error, sent), sent);
  }
}

/** @throws AddressBlockedError, OutboundRequestError, or the reason of the caller's signal */
async function send(loaded: () => Promise<Loaded>, first: OutboundRequest): Promise<OutboundResponse> {
  const time = AbortSignal.timeout(first.withinMs);
  const signal = first.signal ? AbortSignal.any([first.signal, time]) : time;
  const host = hostOf(first.url.hostname);
  const tooLate: TooLate = (error, sent) =>
    time.aborted && error === time.reason
      ? new OutboundRequestError(`${host} did not answer in time.`, { sent, cause: error })
      : error;
  let call = first;
  for (let redirects = 0; redirects <= redirectsAtMost; redirects++) {
    first.signal?.throwIfAborted();
    const wrong = addressProblem(call.url);
    if (wrong) throw new AddressBlockedError(wrong);
    const response = await once(await loaded(), call, signal, tooLate);
    const to = first.redirects === 'follow' ? redirectOf(response, call.url) : null;
    if (!to) return answerOf(response, host, first.bodyLimit, tooLate);
    drop(response.body);
    call = redirected(call, to, response.statusCode);
  }
  throw new OutboundRequestError(`${host} redirects more than ${redirectsAtMost} times.`, { sent: true });
}

/**
 * The one guard for all addresses that people can name. What it connects to is what it has checked: each connection resolves its host
 * once, and every redirect is a new address.
 */
export function createSsrfGuard(options: Options) {
  let agent: Agent | undefined;
  let loading: Promise<Loaded> | undefined;
  /** Loaded with the first call: an idle server needs no memory for it. */
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
    /** Ends what is under way: somebody who never answers must not delay a stop. */
    close: async () => agent?.destroy(),
  };
}

export type SsrfGuard = ReturnType<typeof createSsrfGuard>;
