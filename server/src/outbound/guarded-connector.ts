import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import type { Secret } from '#server/security/secret';
import { type AllowedHosts, normalizeHost } from './allowed-hosts.ts';
import { AddressBlockedError, NotConnectedError } from './errors.ts';
import { addressKind, parseAddress } from './ip-ranges.ts';
import { openTunnel, type ProxyFor, targetUrl, throughTunnel } from './proxy.ts';

export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Which addresses may be connected to. */
export type AddressRules = {
  allowed: AllowedHosts;
  /** The operator's variable that `allowed` comes from, for the message. */
  variable: 'TOOL_HOSTS_ALLOWED' | 'PROVIDER_HOSTS_ALLOWED';
  /** Servers of models inside a network seldom speak https: plain http is then enough for private addresses in `allowed`. */
  plainInside?: boolean;
  /** Why a public host that is not in `allowed` may not be reached. null: it may. Left out: all may. */
  publicProblem?: (host: string) => string | null;
};

type GuardOptions = AddressRules & { lookup?: Lookup | undefined; proxyFor?: ProxyFor | undefined };

const connectMs = 10_000;

const lookUp: Lookup = (hostname) => dns.lookup(hostname, { all: true });

/** The message names no address: users must not learn what a private name resolves to. */
export function rejectionReason(url: URL, address: string, rules: AddressRules): string | null {
  const { allowed, variable, plainInside = false, publicProblem } = rules;
  const host = normalizeHost(url.hostname);
  const bytes = parseAddress(address);
  const port = portOf(url);
  // Brackets: without them, an IPv6 address and its port would be read as another address.
  const mayBeAllowed = `Roster’s operator can allow it with ${host.includes(':') ? `[${host}]` : host}:${port} in ${variable}.`;
  if (!bytes) return `${host} leads to an address that Roster does not connect to.`;
  const destination = { host, port, address: bytes };
  const kind = addressKind(bytes);
  const isAllowed = kind === 'metadata' ? allowed.name(destination) : allowed.permit(destination);
  if (url.protocol === 'http:' && !(isAllowed && (kind === 'loopback' || (kind === 'inner' && plainInside)))) {
    if (kind === 'loopback') return `${host} is the machine that Roster runs on. ${mayBeAllowed}`;
    if (kind !== 'inner' || !plainInside) return 'The address must begin with https://.';
  }
  if (isAllowed) return null;
  if (kind === 'metadata') return `${host} leads to an address that Roster does not connect to.`;
  if (kind !== 'public') return `${host} is in a private network. ${mayBeAllowed}`;
  if (port === 443) return publicProblem?.(host) ?? null;
  return `Port ${port} of ${host} is not allowed, only 443 is. ${mayBeAllowed}`;
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
export async function checkedAddresses(
  url: URL,
  { lookup = lookUp, ...rules }: GuardOptions,
): Promise<LookupAddress[]> {
  const host = normalizeHost(url.hostname);
  const literal = parseAddress(host);
  const addresses = literal ? [{ address: host, family: literal.kind() === 'ipv4' ? 4 : 6 }] : await lookup(host);
  for (const { address } of addresses) {
    const reason = rejectionReason(url, address, rules);
    if (reason) throw new AddressBlockedError(reason);
  }
  if (addresses.length === 0) throw new AddressBlockedError(`${host} could not be resolved.`);
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
export function guardedConnector(build: typeof buildConnector, options: GuardOptions): buildConnector.connector {
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
          if (at && rejectionReason(url, socket.remoteAddress ?? '', options) === null) return callback(null, socket);
          socket.destroy();
          callback(new NotConnectedError('connected to another address'), null);
        });
      },
      (cause: unknown) => callback(new NotConnectedError('not resolved', { cause }), null),
    );
  };
}
