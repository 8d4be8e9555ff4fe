import { isIPv4, isIPv6 } from 'node:net';

/** The network of an address. `counted` identifies the sender in rate limits and in the log. */
type Network = {
  counted: string;
  /** The surrounding site, in which one sender may own many networks: the /48 for IPv6. */
  site: string | undefined;
  /** The region whose senders share a memory budget: /16 for IPv4, /32 for IPv6. */
  region: string;
};

/** The eight groups of an IPv6 address in any notation; undefined if it is not one. */
function parseIPv6Groups(address: string): number[] | undefined {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return undefined;
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const [a, b, c, d] = (dotted ?? []).slice(1).map(Number);
  const text =
    a === undefined || b === undefined || c === undefined || d === undefined
      ? plain
      : plain.replace(/[^:]+$/, `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`);
  const [before = [], after = []] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

const ipv4Network = (address: string): Network => ({
  counted: address,
  site: undefined,
  region: address.split('.').slice(0, 2).join('.'),
});

/** The sender of a request as counted by rate limits and the log. */
export const clientNetwork = ({ ip }: { ip: string }) => networkOf(ip).counted;

/** IPv6 by its /64, the least that one connection gets; IPv4-mapped IPv6 as IPv4. */
export function networkOf(address: string): Network {
  if (isIPv4(address)) return ipv4Network(address);
  const groups = parseIPv6Groups(address);
  // A proxy in front may have written something that is not an address.
  if (!groups) return { counted: address.slice(0, 64), site: undefined, region: 'no address' };
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return ipv4Network([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  const prefix = (length: number) =>
    `${groups
      .slice(0, length / 16)
      .map((group) => group.toString(16))
      .join(':')}::/${length}`;
  return { counted: prefix(64), site: prefix(48), region: prefix(32) };
}
