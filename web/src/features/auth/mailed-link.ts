/** What a mailed link carries. */
export type MailedLink = { userId: number; token: string };

/** Reads it from the text after the `?`; null where a part is missing or cannot be one. */
export function readMailedLink(search: string): MailedLink | null {
  const parameters = new URLSearchParams(search);
  const token = parameters.get('token') ?? '';
  const userId = parameters.get('userId') ?? '';
  return token !== '' && /^[1-9]\d{0,9}$/.test(userId) ? { userId: Number(userId), token } : null;
}
