const isOwnPath = (path: string) => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path);

/** Returns a path of this installation to open after signing in; `/` for anything else. */
export function safeReturnPath(path: string | undefined, origin: string): string {
  if (path === undefined || path.length > 2000 || !isOwnPath(path)) return '/';
  if (!URL.canParse(path, origin)) return '/';
  const url = new URL(path, origin);
  // Normalized as browsers do it: `/.//other.example` has become `//other.example`.
  const normal = `${url.pathname}${url.search}${url.hash}`;
  return url.origin === origin && isOwnPath(normal) ? normal : '/';
}
