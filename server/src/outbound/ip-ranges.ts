import { isIPv4, isIPv6 } from 'node:net';

/**
 * Where an address is: in the open network; on this machine; what a cloud tells its machines their secrets at; or anywhere else,
 * which is private, of one link only, reserved, for groups, for examples, or a tunnel to one of these.
 */
export type AddressKind = 'public' | 'loopback' | 'metadata' | 'inner';

/** A range of addresses: its first bytes, and how many bits of them count. */
export type Range = { bytes: number[]; bits: number };

/** As a resolver or `URL` write it; other notations have been brought into that form by `URL`. null: no address. */
export function bytesOf(address: string): number[] | null {
  if (isIPv4(address)) return address.split('.').map(Number);
  if (!isIPv6(address)) return null;
  // Zones are of one link, and no URL has them.
  const host = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return null;
  const [before = [], after = []] = host.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...missing, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** `address/bits`, or an address alone. null: neither. */
export function rangeOf(text: string): Range | null {
  const [address = '', length, ...more] = text.split('/');
  const bytes = bytesOf(address.replace(/^\[|\]$/g, ''));
  if (!bytes || more.length > 0) return null;
  const most = bytes.length * 8;
  if (length === undefined) return { bytes, bits: most };
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) return null;
  return { bytes, bits: Number(length) };
}

export function isWithin(address: number[], { bytes, bits }: Range): boolean {
  if (address.length !== bytes.length) return false;
  return bytes.every((byte, at) => {
    const counted = Math.min(8, Math.max(0, bits - at * 8));
    const mask = (0xff << (8 - counted)) & 0xff;
    return (byte & mask) === ((address[at] ?? 0) & mask);
  });
}

const ranges = (...texts: string[]): Range[] =>
  texts.map((text) => {
    const range = rangeOf(text);
    if (!range) throw new Error(`${text} is no range`);
    return range;
  });

const metadata = ranges(
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
);
const loopback = ranges('127.0.0.0/8', '::1');
/** https://www.iana.org/assignments/iana-ipv4-special-registry */
const innerV4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
);
const openV6 = ranges('2000::/3');
/** Of those: what the IETF has taken for itself (Teredo among it), examples, 6to4. */
const innerV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20');
/** The last four bytes are an address of IPv4, which is what is reached. */
const embedding = ranges('::ffff:0:0/96', '64:ff9b::/96');

const isOneOf = (bytes: number[], list: Range[]) => list.some((range) => isWithin(bytes, range));

/** The address that is reached by this one. */
export const reachableAddress = (bytes: number[]): number[] => (isOneOf(bytes, embedding) ? bytes.slice(-4) : bytes);

export function kindOf(bytes: number[]): AddressKind {
  const at = reachableAddress(bytes);
  if (isOneOf(at, metadata)) return 'metadata';
  if (isOneOf(at, loopback)) return 'loopback';
  if (at.length === 4) return isOneOf(at, innerV4) ? 'inner' : 'public';
  return isOneOf(at, openV6) && !isOneOf(at, innerV6) ? 'public' : 'inner';
}
