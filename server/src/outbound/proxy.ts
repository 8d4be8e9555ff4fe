import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { Secret } from '#server/security/secret';
import { normalizeHost } from './allowed-hosts.ts';
import { addressKind, isWithin, parseAddress, parseRange } from './ip-ranges.ts';

/** The proxy for a URL; undefined: connect directly. */
export type ProxyFor = (url: URL) => Secret | undefined;

type Variables = { HTTPS_PROXY?: string | undefined; HTTP_PROXY?: string | undefined; NO_PROXY?: string | undefined };

export const noProxy: ProxyFor = () => undefined;

const tunnelMs = 10_000;
const answerBytes = 16 * 1024;

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80);

/** @throws Error naming the variable but not its value, which may contain a password */
export function createProxySelector({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY = '' }: Variables): ProxyFor {
  const ofHttps = parseProxy('HTTPS_PROXY', HTTPS_PROXY);
  const ofHttp = parseProxy('HTTP_PROXY', HTTP_PROXY);
  if (!ofHttps && !ofHttp) return noProxy;
  const exceptions = NO_PROXY.split(/[\s,]+/).flatMap((entry) => (entry === '' ? [] : parseNoProxyEntry(entry)));
  return (url) => {
    const host = normalizeHost(url.hostname).toLowerCase();
    const bytes = parseAddress(host);
    const isHere = bytes ? addressKind(bytes) === 'loopback' : host === 'localhost';
    if (isHere || exceptions.some((isException) => isException(host, portOf(url)))) return undefined;
    return url.protocol === 'https:' ? ofHttps : ofHttp;
  };
}

function parseProxy(name: string, text: string | undefined): Secret | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new Error(`${name} must be the address of an HTTP proxy, as http://proxy.example.org:3128.`);
  if (url.pathname !== '/' || url.search || url.hash)
    throw new Error(`${name} must be scheme, host and port only, with a user and a password at most.`);
  return new Secret(url.href);
}

/** One entry of NO_PROXY: `*`, a domain with its subdomains, an address or a range, each with or without a port. */
function parseNoProxyEntry(entry: string): (host: string, port: number) => boolean {
  if (entry === '*') return () => true;
  const whole = parseRange(entry);
  const [, named = entry, portText] = whole ? [] : (/^(.*):(\d+)$/.exec(entry) ?? []);
  const range = whole ?? parseRange(named);
  const name = named
    .toLowerCase()
    .replace(/^\*?\.+/, '')
    .replace(/\.$/, '');
  return (host, port) => {
    if (portText !== undefined && Number(portText) !== port) return false;
    const bytes = parseAddress(host);
    if (range) return bytes !== null && isWithin(bytes, range);
    return host === name || (bytes === null && host.endsWith(`.${name}`));
  };
}

/** Names the proxy without the password that its URL may contain. */
export class ProxyError extends Error {
  override name = 'ProxyError';
  readonly code = 'PROXY_FAILED';
}

/** A connection to a host and port through a proxy, by CONNECT. Ten seconds in all. */
export async function openTunnel(proxy: Secret, host: string, port: number, withinMs = tunnelMs): Promise<Socket> {
  const url = new URL(proxy.reveal());
  const failed = (what: string, cause?: unknown) => new ProxyError(`The proxy ${url.host} ${what}`, { cause });
  const at = { host: normalizeHost(url.hostname), port: portOf(url) };
  const isSecure = url.protocol === 'https:';
  const socket = isSecure
    ? connectTls({ ...at, ...(parseAddress(at.host) === null && { servername: at.host }) })
    : connectPlain(at);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const timer = setTimeout(() => reject(failed(`did not answer within ${withinMs / 1000} seconds.`)), withinMs);
  let answer = Buffer.alloc(0);
  const read = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1) {
      if (answer.length > answerBytes) reject(failed('answered with too much.'));
      return;
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer.toString('latin1', 0, end))?.[1] ?? 0);
    if (status === 407) return reject(failed('asks for a user and a password (407), or for other ones.'));
    if (status < 200 || status > 299)
      return reject(
        failed(status === 0 ? 'did not answer as an HTTP proxy does.' : `refused the connection (${status}).`),
      );
    socket.off('data', read);
    socket.pause();
    // Bytes that the other side sent before our request.
    if (end + 4 < answer.length) socket.unshift(answer.subarray(end + 4));
    resolve(socket);
  };
  socket.on('data', read);
  socket.once('error', (cause) => reject(failed('cannot be reached.', cause)));
  socket.once('close', () => reject(failed('closed the connection.')));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.write(connectRequest(url, host, port)));
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function connectRequest({ username, password }: URL, host: string, port: number): string {
  const to = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const lines = [
    `CONNECT ${to} HTTP/1.1`,
    `Host: ${to}`,
    ...(username ? [`Proxy-Authorization: Basic ${credentials}`] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

type Connector = buildConnector.connector;
type Target = Parameters<Connector>[0];

/** The address that undici wants to connect to. */
export const targetUrl = ({ protocol, hostname, port }: Target): URL | null =>
  URL.parse(`${protocol}//${hostname.includes(':') ? `[${normalizeHost(hostname)}]` : hostname}${port && `:${port}`}`);

/** Connects through the proxy if the address has one. TLS is end-to-end, inside the tunnel. */
export function createProxyConnector(
  proxyFor: ProxyFor,
  build: typeof buildConnector,
  options: Parameters<typeof buildConnector>[0],
): Connector {
  const connect = build(options);
  return (target, callback) => {
    const url = targetUrl(target);
    const proxy = url ? proxyFor(url) : undefined;
    if (!url || !proxy) return connect(target, callback);
    openTunnel(proxy, normalizeHost(url.hostname), portOf(url)).then(
      (socket) => throughTunnel(connect, target, socket, callback),
      (error: Error) => callback(error, null),
    );
  };
}

export function throughTunnel(
  connect: Connector,
  target: Target,
  socket: Socket,
  callback: Parameters<Connector>[1],
): void {
  if (target.protocol === 'https:') connect({ ...target, httpSocket: socket }, callback);
  else callback(null, socket);
}

const isPlainBody = (
  body: unknown,
): body is string | URLSearchParams | Uint8Array<ArrayBuffer> | ReadableStream | null =>
  body === null ||
  typeof body === 'string' ||
  body instanceof URLSearchParams ||
  body instanceof Uint8Array ||
  body instanceof ReadableStream;

/** undici's Response class differs from Node's, so `instanceof` fails. */
const isResponse = (value: unknown): value is Response => Object.prototype.toString.call(value) === '[object Response]';

/** `fetch` itself, or a fetch through the proxy for the address. */
export function createProxyFetch(proxyFor: ProxyFor): typeof fetch {
  let loading: ReturnType<typeof load> | undefined;
  async function load() {
    const undici = await import('undici');
    const connect = createProxyConnector(proxyFor, undici.buildConnector, { timeout: tunnelMs, allowH2: false });
    return { dispatcher: new undici.Agent({ connect, keepAliveTimeout: 1_000 }), undici };
  }
  return async (address, init) => {
    const url = address instanceof Request ? address.url : address;
    if (!proxyFor(new URL(url))) return fetch(address, init);
    loading ??= load();
    const { dispatcher, undici } = await loading;
    const { body = null, headers, ...rest } = init ?? {};
    if (!isPlainBody(body)) throw new TypeError('Only text, bytes and streams are sent through a proxy.');
    const response: unknown = await undici.fetch(url, {
      ...rest,
      body,
      headers: [...new Headers(headers)],
      dispatcher,
    });
    if (!isResponse(response)) throw new TypeError('The response is not one of the Fetch standard.');
    return response;
  };
}
