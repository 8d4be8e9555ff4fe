import { readFileSync } from 'node:fs';
import { createSimulator } from '@roster/simulator/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#server/testing/app';
import { download, sha256, someBytes, uploaded } from '#server/testing/files';
import { freePort } from '#server/testing/free-port';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { spawnServer, untilReady } from '#server/testing/process';
import { sources } from '#server/testing/programs';

/** The options with which `npm start` runs the server. */
const startFlags = ['--max-semi-space-size=2'];

const megabyte = 1024 * 1024;
/** Above the memory of an idle server. */
const growthOfUploads = 64 * megabyte;
/** The engine lets more dead buffers gather here before it collects. */
const growthOfDownloads = 112 * megabyte;

/** Resident memory, in bytes. */
function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

// The figures come from Linux's accounting of a process.
test.runIf(process.platform === 'linux')(
  'takes little memory for eight uploads of 50 MB at once, and for eight downloads',
  async () => {
    const database = await emptyDatabase('sqlite');
    const simulator = createSimulator({ tokenDelayMs: 0 });
    const provider = await simulator.listen();
    const port = await freePort();
    const variables = {
      PORT: String(port),
      DATA_DIR: database.dataDir,
      PROVIDER_BASE_URL: provider.url,
      RATE_LIMIT_SCALE: '1000',
      LOG_LEVEL: 'warn',
    };
    const spawned = spawnServer(variables, { flags: startFlags, programs: sources });
    onTestFinished(async () => {
      spawned.child.kill('SIGKILL');
      await spawned.ended;
      await simulator.close();
      await database.remove();
    });
    await untilReady(spawned, port);
    const place = { url: `http://localhost:${port}`, origin: `http://localhost:${port}` };
    const people: HttpClient[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const visitor = createHttpClient(() => place);
      await visitor.post('/api/register', { email: `${name}@example.com`, password: 'correct horse battery' });
      // Password hashing and the first upload load what is needed once.
      await uploaded(place, visitor);
      people.push(visitor);
    }
    const content = someBytes(50 * megabyte);
    const wanted = sha256(content);
    const visitors = [...people, ...people];
    /** Peak of memory above `idle` during `work`. */
    const growthIn = async <T>(work: Promise<T>): Promise<{ growth: number; result: T }> => {
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryOf(spawned.child.pid));
      }, 10);
      const result = await work.finally(() => clearInterval(watch));
      return { growth: peak - idle, result };
    };
    const idle = memoryOf(spawned.child.pid);
    const uploading = await growthIn(
      Promise.all(visitors.map(async (visitor) => ({ visitor, file: await uploaded(place, visitor, { content }) }))),
    );
    expect(uploading.growth).toBeLessThanOrEqual(growthOfUploads);
    const downloading = await growthIn(
      Promise.all(
        uploading.result.map(async ({ visitor, file }) => sha256((await download(place, visitor, file.id)).bytes)),
      ),
    );
    expect(downloading.result).toEqual(visitors.map(() => wanted));
    expect(downloading.growth).toBeLessThanOrEqual(growthOfDownloads);
  },
);
