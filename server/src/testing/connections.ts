import type { Connection } from '@roster/contracts/connections/connections';
import type { ConnectionOffer } from '@roster/contracts/connections/offers';
import type { HttpClient } from './http-client.ts';

/** Variables with which people may name the simulated provider. */
export const openConnections = { CONNECTIONS: 'open', PROVIDER_HOSTS_ALLOWED: '127.0.0.1' };

const key = `sk-connection-${'k'.repeat(32)}`;

/** A connection to the simulated provider itself, with a key of its own. */
export async function newConnection(
  app: { provider: { url: string } },
  visitor: HttpClient,
  name: string,
): Promise<Connection> {
  const made = await visitor.post('/api/connections', { preset: 'other', name, baseUrl: app.provider.url, key });
  if (made.status !== 201) throw new Error(`The connection was not added: ${JSON.stringify(made.body)}`);
  return made.body;
}

type Offering = { provider: { url: string }; as: (name: string) => Promise<HttpClient> };

/** The account `admin` offers a connection to the simulated provider. */
export async function newOffer(app: Offering, more: object = {}): Promise<ConnectionOffer> {
  const admin = await app.as('admin');
  const draft = { preset: 'other', name: 'Team', baseUrl: app.provider.url, key, audience: 'everybody', ...more };
  const made = await admin.post('/api/admin/connections', draft);
  if (made.status !== 201) throw new Error(`The connection was not offered: ${JSON.stringify(made.body)}`);
  return made.body;
}
