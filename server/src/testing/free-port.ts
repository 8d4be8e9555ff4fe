import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: one of those may be taken again between its being found free and
 * being listened on, or while a test has its server stopped. Above 10,080, which `fetch` refuses.
 */
const [first, last] = [10_100, 29_999];
/** So many in a row belong to one process: neighbouring ids are those of workers that run at the same time. */
const ofOneProcess = 97;
let taken = 0;

/** A port of this machine that nobody listens on, and that no other process of the tests is given meanwhile. */
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
