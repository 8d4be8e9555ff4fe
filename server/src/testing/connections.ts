import type { Connection } from '@roster/contracts/connections/connections';
import type { HttpClient } from './http-client.ts';

/** A connection to the simulated provider itself, with a key of its own. */
export async function newConnection(
  app: { provider: { url: string } },
  visitor: HttpClient,
  name: string,
): Promise<Connection> {
  const key = `sk-connection-${'k'.repeat(32)}`;
  const made = await visitor.post('/api/connections', { preset: 'other', name, baseUrl: app.provider.url, key });
  if (made.status !== 201) throw new Error(`The connection was not added: ${JSON.stringify(made.body)}`);
  return made.body;
}
