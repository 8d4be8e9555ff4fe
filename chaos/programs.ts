import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The real parts, each with its Debian package. */
const packages = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  patronictl: 'patroni',
  pgbouncer: 'pgbouncer',
  haproxy: 'haproxy',
  memcached: 'memcached',
  'swift-ring-builder': 'python3-swift',
  'swift-proxy-server': 'swift-proxy',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
} as const;

export type ProgramName = keyof typeof packages;

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/usr/local/bin'];
const pathOf = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** The programs of the newest PostgreSQL. */
function postgresFolder(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  const folder = newest && `/usr/lib/postgresql/${newest}/bin`;
  return folder && existsSync(join(folder, 'initdb')) ? folder : undefined;
}

/** @throws with the command that installs what is missing */
export function findPrograms() {
  const found = new Map<string, string>();
  const missing = new Set<string>();
  for (const [name, from] of Object.entries(packages)) {
    const path = pathOf(name);
    if (path) found.set(name, path);
    else missing.add(from);
  }
  const postgres = postgresFolder();
  if (!postgres) missing.add('postgresql');
  if (missing.size > 0 || !postgres)
    throw new Error(
      `The cluster is made of real parts, and some are not installed. As root: apt-get update && apt-get install -y --no-install-recommends ${[...missing].join(' ')}`,
    );
  return {
    postgres,
    path(name: ProgramName) {
      const path = found.get(name);
      if (!path) throw new Error(`${name} was not looked for`);
      return path;
    },
  };
}

export type Programs = ReturnType<typeof findPrograms>;

const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));

/** PostgreSQL and PgBouncer refuse to run as root: all parts but Roster run as the user of PostgreSQL's package. */
export const unprivileged = () => (process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined);
