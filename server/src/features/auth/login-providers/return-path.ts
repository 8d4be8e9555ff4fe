const isOwnPath = (path: string) => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path);

/** Where to go after signing in: only a path of this installation, `/` for anything else. */
export function safeReturnPath(path: string | undefined, origin: string): string {
  if (path === undefined || path.length > 2000 || !isOwnPath(path)) return '/';
  if (!URL.canParse(path, origin)) return '/';
  const url = new URL(path, origin);
  // As a browser reads it: `/.//other.example` has become `//other.example` by now.
  const normal = `${url.pathname}${url.search}${url.hash}`;
  return url.origin === origin && isOwnPath(normal) ? normal : '/';
}
