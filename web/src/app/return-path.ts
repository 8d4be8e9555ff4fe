/** Only a path of this application is accepted after signing in, never another site. */
export function safeReturnPath(path: string | undefined): string {
  return path && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path) ? path : '/';
}
