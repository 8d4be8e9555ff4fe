import { parentPort, workerData } from 'node:worker_threads';
import { failureReason } from '#server/lib/errors';
import { Secret } from '#server/security/secret';
import { makeBackup } from './make.ts';
import type { ThreadAnswer, ThreadOrder } from './thread.ts';

const order: ThreadOrder = workerData;
const { s3, passphrase } = order;
const proxy = s3?.proxy === undefined ? undefined : new Secret(s3.proxy);
const answer = (given: ThreadAnswer) => parentPort?.postMessage(given);

try {
  const made = await makeBackup({
    ...order,
    s3: s3 && {
      ...s3,
      endpoint: new URL(s3.endpoint),
      secretAccessKey: new Secret(s3.secretAccessKey),
      proxyFor: () => proxy,
    },
    passphrase: passphrase === undefined ? undefined : new Secret(passphrase),
  });
  answer({ made });
} catch (error) {
  answer({ failure: failureReason(error) });
}
