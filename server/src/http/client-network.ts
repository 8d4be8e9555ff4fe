import { isIPv4, isIPv6 } from 'node:net';

/** Where an address belongs. `counted` is what stands for its sender in rates and in the log. */
export type Network = {
  counted: string;
  /** The site around it, where one sender may have many networks: the /48 of IPv6. */
  site: string | undefined;
  /** The region in which senders share a memory: /16 of IPv4, /32 of IPv6. */
  region: string;
};

/** The eight groups of an IPv6 address, however it was written; undefined where it is none. */
function groupsOf(address: string): number[] | undefined {
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

const ofIPv4 = (address: string): Network => ({
  counted: address,
  site: undefined,
  region: address.split('.').slice(0, 2).join('.'),
});

/** Who sent a request, as rates and the log count. */
export const clientNetwork = ({ ip }: { ip: string }) => networkOf(ip).counted;

/** IPv6 by its /64, which is what one line has at least; IPv4 written as IPv6 as the IPv4 it is. */
export function networkOf(address: string): Network {
  if (isIPv4(address)) return ofIPv4(address);
  const groups = groupsOf(address);
  // What a proxy in front may have written instead of an address.
  if (!groups) return { counted: address.slice(0, 64), site: undefined, region: 'no address' };
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return ofIPv4([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  const prefix = (length: number) =>
    `${groups
      .slice(0, length / 16)
      .map((group) => group.toString(16))
      .join(':')}::/${length}`;
  return { counted: prefix(64), site: prefix(48), region: prefix(32) };
}
