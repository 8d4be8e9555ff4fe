import { freePort } from '../server/src/testing/free-port.ts';
import type { Environment } from './environment.ts';
import { answers, createPart } from './processes.ts';

/** Patroni's store for who is the primary. One node is enough to test Roster; an installation has three. */
export async function etcd({ folder, programs, as, makeFolder }: Environment) {
  const [port, peers] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const args = [
    ['--name', 'one', '--data-dir', makeFolder('etcd'), '--initial-cluster', `one=${peer}`],
    ['--listen-client-urls', client, '--advertise-client-urls', client],
    ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ].flat();
  const part = createPart({ name: 'etcd', path: programs.path('etcd'), args, folder, as }, () =>
    answers(`${client}/health`),
  );
  return { port, ...part };
}
