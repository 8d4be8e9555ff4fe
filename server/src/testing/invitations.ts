import type { HttpClient } from './http-client.ts';
import type { MailServer } from './mail.ts';

/** The token in an invitation’s link. */
export function tokenIn(link: string): string {
  const { pathname, search, hash } = new URL(link);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (pathname !== '/invitation' || search !== '' || token === null) throw new Error(`No invitation link: ${link}`);
  return token;
}

/** Invites somebody where there is no mail server. */
export async function invited(administrator: HttpClient, email: string, more: Record<string, unknown> = {}) {
  const { status, body } = await administrator.post('/api/admin/invitations', { email, role: 'Editor', ...more });
  if (status !== 201) throw new Error(`${email} could not be invited: ${JSON.stringify(body)}`);
  const id: number = body.invitation.id;
  return { id, token: tokenIn(body.link) };
}

/** The token in the `count`-th invitation that was mailed to an address. */
export async function mailedToken(mail: MailServer, email: string, count = 1): Promise<string> {
  const { text } = await mail.mailTo(email, 'Your invitation to Roster', count);
  return tokenIn(text.split(/\s+/).find((word) => word.includes('/invitation#')) ?? '');
}
