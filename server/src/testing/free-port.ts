import { createServer } from 'node:net';

/**
 * Below the ephemeral ports: the system could give one of those to an outgoing connection after it was found free, or
 * while a test has its server stopped. Above 10,080, which `fetch` blocks.
 */
const [first, last] = [10_100, 29_999];
/** This many consecutive ports belong to one process: adjacent ids are those of workers that run at the same time. */
const ofOneProcess = 97;
let taken = 0;

/** A free port of this machine that no other test process uses meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + ((process.pid * ofOneProcess + taken++) % (last - first + 1));
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
