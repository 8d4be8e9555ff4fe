import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `public`: the open network; `loopback`: this machine; `metadata`: where clouds serve credentials to their machines;
 * `inner`: everything else, such as private, link-local, reserved and multicast addresses and tunnels to them.
 */
type AddressKind = 'public' | 'loopback' | 'metadata' | 'inner';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** An address with the number of its leading bits that count. */
export type Range = { address: IpAddress; bits: number };

/** Accepts only the form that resolvers and `URL` write, and no zone. null: not an address. */
export const parseAddress = (text: string): IpAddress | null =>
  isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text);

export const bitsIn = (address: IpAddress): number => address.toByteArray().length * 8;

/** Parses `address/bits`, or an address alone. null: neither. */
export function parseRange(text: string): Range | null {
  const [host = '', length, ...more] = text.split('/');
  const address = parseAddress(host.replace(/^\[|\]$/g, ''));
  if (!address || more.length > 0) return null;
  const most = bitsIn(address);
  if (length === undefined) return { address, bits: most };
  return /^\d{1,3}$/.test(length) && Number(length) <= most ? { address, bits: Number(length) } : null;
}

export const isWithin = (address: IpAddress, range: Range): boolean =>
  address.kind() === range.address.kind() && address.match(range.address, range.bits);

const ranges = (...texts: string[]): Range[] =>
  texts.map((text) => {
    const range = parseRange(text);
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
/** Special ranges of https://www.iana.org/assignments/iana-ipv4-special-registry that ipaddr.js counts as unicast. */
const innerV4 = ranges('192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '240.0.0.0/4');
const openV6 = ranges('2000::/3');
/** Parts of `openV6` that the IETF reserves (Teredo among it), documentation, 6to4. */
const innerV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20');
/** Addresses whose last four bytes are the IPv4 address that is reached. */
const embedding = ranges('::ffff:0:0/96', '64:ff9b::/96');

const isInAny = (address: IpAddress, list: Range[]) => list.some((range) => isWithin(address, range));

/** The address that a connection to this one reaches. */
export const reachableAddress = (address: IpAddress): IpAddress =>
  isInAny(address, embedding) ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address;

export function addressKind(address: IpAddress): AddressKind {
  const at = reachableAddress(address);
  if (isInAny(at, metadata)) return 'metadata';
  if (at.range() === 'loopback') return 'loopback';
  if (at.kind() === 'ipv4') return at.range() === 'unicast' && !isInAny(at, innerV4) ? 'public' : 'inner';
  return isInAny(at, openV6) && !isInAny(at, innerV6) ? 'public' : 'inner';
}
