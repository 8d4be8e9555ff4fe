const allowed = new Set(['http:', 'https:', 'mailto:']);

const withoutDot = (host: string) => host.replace(/\.$/, '');
const isLoopback = (host: string) =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(host);

/** Whether an address leads to the machine that this page is from: its ports share the cookies. */
function isOwn(host: string, own: string): boolean {
  return host === own || (isLoopback(host) && isLoopback(own));
}

const ownHost = () => (typeof location === 'undefined' ? '' : location.hostname);

/**
 * The address of a link that may be followed, else null: only absolute http, https and mailto. An address of our own
 * pages is refused too, since a model has no business steering the application, and so is one with a name before its
 * host, which only serves to mislead.
 */
export function safeLink(address: string, own: string = ownHost()): string | null {
  // The scheme must stand there in plain letters; the URL parser alone would forgive tabs and line breaks inside it.
  if (!/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)) return null;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!allowed.has(url.protocol)) return null;
  if (url.protocol === 'mailto:') return url.href;
  // The parser has settled letter case, escapes, numbers and other scripts by now.
  if (isOwn(withoutDot(url.hostname), withoutDot(own)) || url.username !== '' || url.password !== '') return null;
  return url.href;
}
