/** User id and token of a mailed link. */
export type MailedLink = { userId: number; token: string };

/** Reads them from the query string; null if a part is missing or invalid. */
export function readMailedLink(search: string): MailedLink | null {
  const parameters = new URLSearchParams(search);
  const token = parameters.get('token') ?? '';
  const userId = parameters.get('userId') ?? '';
  return token !== '' && /^[1-9]\d{0,9}$/.test(userId) ? { userId: Number(userId), token } : null;
}
