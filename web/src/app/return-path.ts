/** Where to go after signing in: only a path of this application, never another site. */
export function safeReturnPath(path: string | undefined): string {
  return path && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path) ? path : '/';
}
