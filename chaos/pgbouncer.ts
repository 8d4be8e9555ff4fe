import pg from 'pg';
import { freePort } from '../server/src/testing/free-port.ts';
import type { Environment } from './environment.ts';
import { passwords } from './postgres-member.ts';
import { createPart } from './processes.ts';

/** The pooler in transaction mode. It knows one address: that of the current primary. */
export async function pgbouncer({ folder, programs, as, writeFile }: Environment, primaryPort: number) {
  const port = await freePort();
  const users = writeFile('pgbouncer-users.txt', `"roster" "${passwords.roster}"\n`);
  const settings = [
    '[databases]',
    `roster = host=127.0.0.1 port=${primaryPort} dbname=roster`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'max_client_conn = 500',
    'default_pool_size = 20',
    // By default it waits 15 s after a primary was unavailable, and lets a client wait for 120 s.
    'server_login_retry = 1',
    'server_connect_timeout = 2',
    'query_wait_timeout = 5',
  ];
  const file = writeFile('pgbouncer.ini', `${settings.join('\n')}\n`);
  const url = `postgres://roster:${passwords.roster}@127.0.0.1:${port}/roster`;
  const part = createPart({ name: 'pgbouncer', path: programs.path('pgbouncer'), args: [file], folder, as }, () =>
    canAsk(url),
  );
  return { url, ...part };
}

export async function canAsk(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end();
  }
}
