const allowed = new Set(['http:', 'https:', 'mailto:']);

const withoutDot = (host: string) => host.replace(/\.$/, '');
const isLoopback = (host: string) =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(host);

/** True for hosts of this machine: cookies are shared across its ports. */
function isOwn(host: string, own: string): boolean {
  return host === own || (isLoopback(host) && isLoopback(own));
}

const ownHost = () => (typeof location === 'undefined' ? '' : location.hostname);

/**
 * The URL if it may be followed, otherwise null: only absolute http, https and mailto. URLs of Roster itself are
 * refused, so that a model cannot steer the application, and URLs with credentials, which only serve to mislead.
 */
export function safeLink(address: string, own: string = ownHost()): string | null {
  // Requires the scheme in plain letters; the URL parser would accept tabs and line breaks in it.
  if (!/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)) return null;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!allowed.has(url.protocol)) return null;
  if (url.protocol === 'mailto:') return url.href;
  // The parser has normalized case, escapes, numeric hosts and punycode.
  if (isOwn(withoutDot(url.hostname), withoutDot(own)) || url.username !== '' || url.password !== '') return null;
  return url.href;
}
