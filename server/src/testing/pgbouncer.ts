import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** The paths in Debian's package and in others. */
const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);
export const hasPgBouncer = program !== undefined;

/** A real PgBouncer in transaction mode, with few connections to the server behind it. */
export async function startPgBouncer(server: URL, { poolSize = 4 } = {}) {
  if (!program) throw new Error('PgBouncer is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'roster-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const password = server.password ? ` password=${decodeURIComponent(server.password)}` : '';
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port} user=${server.username || 'postgres'}${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 200',
  ];
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o644 });
  // It refuses to run as root.
  const as = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(program, [file], { ...as, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const by = (url: URL) => {
    const through = new URL(url.href);
    through.host = `127.0.0.1:${port}`;
    return through;
  };
  await untilItAnswers(by(server), child);
  return {
    by,
    async stop() {
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: URL, child: { exitCode: number | null }) {
  await until('An answer of PgBouncer', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with code ${child.exitCode}`);
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    const answers = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return answers;
  });
}
