import { isIP } from 'node:net';
import { bitsIn, type IpAddress, isWithin, parseRange, type Range, reachableAddress } from './ip-ranges.ts';

type Entry = { host: string | null; range: Range | null; port: number | null };

/** A connection's destination: the host as named, and the address that it resolved to. */
type Destination = { host: string; port: number; address: IpAddress };

export type AllowedHosts = {
  /** Lists addresses or ranges, which a name may lead to. */
  hasRanges: boolean;
  /** The operator has listed the destination. */
  permit: (destination: Destination) => boolean;
  /** The operator has listed this exact address, not only its name or a range that contains it. */
  name: (destination: Destination) => boolean;
};

/** As `URL` writes it, without brackets and without a trailing dot. */
export const normalizeHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function parseEntry(text: string): Entry | null {
  const whole = parseRange(text);
  if (whole) return { host: null, range: whole, port: null };
  const url = URL.parse(`http://${text}`);
  const port = /:(\d+)$/.exec(text)?.[1];
  // Anything that `URL` changes or adds is more than a host and a port: a path, a user, a wildcard.
  if (url?.pathname !== '/' || /[/?#@*\s]/.test(text)) return null;
  const host = normalizeHost(url.hostname);
  const range = isIP(host) ? parseRange(host) : null;
  return { host: range ? null : host, range, port: port === undefined ? null : Number(port) };
}

/** @throws Error naming the entry that cannot be parsed */
export function parseAllowedHosts(list: string): AllowedHosts {
  const entries = list
    .split(',')
    .flatMap((part) => part.trim() || [])
    .map((text) => {
      const entry = parseEntry(text);
      if (!entry) throw new Error(`${text} is not a host, host:port or range such as 10.1.0.0/16`);
      return entry;
    });
  const ofPort = (port: number) => entries.filter((entry) => entry.port === null || entry.port === port);
  return {
    hasRanges: entries.some(({ range }) => range !== null),
    permit: ({ host, port, address }) =>
      ofPort(port).some((entry) =>
        entry.range
          ? isWithin(reachableAddress(address), entry.range) || isWithin(address, entry.range)
          : entry.host === host,
      ),
    name: ({ port, address }) => {
      const at = reachableAddress(address);
      return ofPort(port).some(({ range }) => range?.bits === bitsIn(at) && isWithin(at, range));
    },
  };
}
