import { Worker } from 'node:worker_threads';
import type { BackupOrder, MadeBackup } from './make.ts';

type Revealed<T, K extends keyof T> = Omit<T, K> & Record<K, string>;
type Store = NonNullable<BackupOrder['s3']>;

/** Secrets and URLs cross into a thread as text; `proxy` is the one for the store. */
export type ThreadOrder = Omit<BackupOrder, 's3' | 'passphrase'> & {
  s3: (Revealed<Omit<Store, 'proxyFor'>, 'endpoint' | 'secretAccessKey'> & { proxy: string | undefined }) | undefined;
  passphrase: string | undefined;
};
export type ThreadAnswer = { made: MadeBackup } | { failure: string };

const storeAsText = ({ proxyFor, endpoint, secretAccessKey, ...store }: Store) => ({
  ...store,
  endpoint: endpoint.href,
  secretAccessKey: secretAccessKey.reveal(),
  proxy: proxyFor(endpoint)?.reveal(),
});

/** Makes a backup in a separate thread, so that no open stream waits for it. @throws if `signal` aborts it */
export async function backUpInThread(order: BackupOrder, signal: AbortSignal): Promise<ThreadAnswer> {
  signal.throwIfAborted();
  const { s3, passphrase, ...plain } = order;
  const data: ThreadOrder = {
    ...plain,
    s3: s3 && storeAsText(s3),
    passphrase: passphrase?.reveal(),
  };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: data });
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answered = new Promise<ThreadAnswer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread of the backup ended without an answer')));
    });
    return await Promise.race([answered, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
