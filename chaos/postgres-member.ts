import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../server/src/testing/free-port.ts';
import { smallDisk } from './disk.ts';
import type { Environment } from './environment.ts';
import { answers, atExit, createPart } from './processes.ts';

export const passwords = { postgres: 'of-the-superuser', replicator: 'of-the-replicator', roster: 'of-roster' };

/**
 * Settings shared by all members. A commit counts once a second member has it on disk: without `synchronous_mode` a
 * crash of the primary loses what it had just acknowledged.
 */
const agreed = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 8,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      max_connections: 100,
      shared_buffers: '64MB',
      max_wal_size: '96MB',
      min_wal_size: '32MB',
      wal_keep_size: '64MB',
    },
  },
};

/** A member, on a separate disk that can be filled if this user may mount one. */
export async function postgresMember(
  ground: Environment,
  { name, etcdPort, diskMegabytes }: { name: string; etcdPort: number; diskMegabytes: number },
) {
  const { folder, programs, as, makeFolder, writeFile } = ground;
  const [port, restPort] = [await freePort(), await freePort()];
  const disk = smallDisk(ground, `${name}-disk`, diskMegabytes);
  const dataFolder = join(disk?.folder ?? makeFolder(`${name}-folder`), 'data');
  const of = (username: keyof typeof passwords) => ({ username, password: passwords[username] });
  const settings = writeFile(
    `${name}.yml`,
    // JSON is YAML.
    JSON.stringify({
      scope: 'roster',
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: { dcs: agreed, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: dataFolder,
        bin_dir: programs.postgres,
        pgpass: join(folder, `${name}.pgpass`),
        authentication: { superuser: of('postgres'), replication: of('replicator') },
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
        ],
      },
    }),
  );
  const rest = `http://127.0.0.1:${restPort}`;
  const command = { name, path: programs.path('patroni'), args: [settings], folder, as };
  const patroni = createPart(command, () => answers(`${rest}/health`));
  const killServer = (signal: NodeJS.Signals) => {
    const file = join(dataFolder, 'postmaster.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
    if (pid > 1) sendSignal(pid, signal);
  };
  // PostgreSQL is not a child of this process, and outlives a killed Patroni.
  atExit.push(() => killServer('SIGQUIT'));

  return {
    ...patroni,
    port,
    restPort,
    settings,
    disk,
    isPrimary: () => answers(`${rest}/primary`).catch(() => false),
    /** Like a power failure of its machine. */
    async crash() {
      await patroni.kill();
      killServer('SIGKILL');
    },
  };
}

export type Member = Awaited<ReturnType<typeof postgresMember>>;

function sendSignal(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}
