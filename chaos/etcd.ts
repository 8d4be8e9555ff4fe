import { freePort } from '../server/src/testing/free-port.ts';
import type { Ground } from './ground.ts';
import { answers, onePart } from './processes.ts';

/** Patroni's store for who is the primary. One node is enough to test Roster; an installation has three. */
export async function etcd({ folder, programs, as, makeFolder }: Ground) {
  const [port, peers] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const args = [
    ['--name', 'one', '--data-dir', makeFolder('etcd'), '--initial-cluster', `one=${peer}`],
    ['--listen-client-urls', client, '--advertise-client-urls', client],
    ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ].flat();
  const part = onePart({ name: 'etcd', path: programs.path('etcd'), args, folder, as }, () =>
    answers(`${client}/health`),
  );
  return { port, ...part };
}
