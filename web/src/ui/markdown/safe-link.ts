const allowed = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address of a link that may be followed, else null: only absolute http, https and mailto. An address of our own
 * pages is refused too, since a model has no business steering the application.
 */
export function safeLink(address: string): string | null {
  // The scheme must stand there in plain letters; the URL parser alone would forgive tabs and line breaks inside it.
  if (!/^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)) return null;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  return allowed.has(url.protocol) ? url.href : null;
}
