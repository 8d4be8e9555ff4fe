import type { ManagedUser } from '@roster/contracts/users';
import type { HttpClient } from './http-client.ts';

let made = 0;
/** An address that nobody has. */
export const newAddress = () => `person-${++made}@example.org`;
/** A user as an administrator adds one. */
export const newUser = (more: Record<string, unknown> = {}) => ({
  name: 'New Person',
  email: newAddress(),
  role: 'Editor',
  ...more,
});

/** An account as administrators see it, by its address. */
export async function managedUser(administrator: HttpClient, email: string): Promise<ManagedUser> {
  const { body } = await administrator.get(`/api/admin/users?q=${encodeURIComponent(email)}`);
  const [found] = body.items.filter((user: ManagedUser) => user.email === email);
  if (!found) throw new Error(`No account ${email}: ${JSON.stringify(body)}`);
  return found;
}

/** The security events of an account, newest first: kind, by whom, detail. */
export async function securityLogOf(administrator: HttpClient, email: string): Promise<string[]> {
  const { body } = await administrator.get('/api/admin/security-events?limit=100');
  type Event = { email: string | null; event: string; by: string; detail: string | null };
  return body.items
    .filter((event: Event) => event.email === email)
    .map(({ event, by, detail }: Event) => [event, by, ...(detail === null ? [] : [detail])].join(', '));
}
