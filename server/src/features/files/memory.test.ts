import { readFileSync } from 'node:fs';
import { createSimulator } from '@roster/simulator/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#server/testing/app';
import { download, sha256, someBytes, uploaded } from '#server/testing/files';
import { freePort } from '#server/testing/free-port';
import { spawnServer, untilReady } from '#server/testing/process';
import { createVisitor, type Visitor } from '#server/testing/visitor';

const megabyte = 1024 * 1024;
/** What eight at once may take beyond what one takes. */
const growthAllowed = 64 * megabyte;

/** Resident memory. */
function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

// The figures come from Linux's own account of a process.
test.runIf(process.platform === 'linux')(
  'eight uploads of 50 MB at once, and eight downloads, take little memory',
  {
    timeout: 180_000,
  },
  async () => {
    const database = await emptyDatabase('sqlite');
    const simulator = createSimulator({ tokenDelayMs: 0 });
    const provider = await simulator.listen();
    const port = await freePort();
    const spawned = spawnServer({
      PORT: String(port),
      DATA_DIR: database.dataDir,
      PROVIDER_BASE_URL: provider.url,
      RATE_LIMIT_SCALE: '1000',
      LOG_LEVEL: 'warn',
    });
    onTestFinished(async () => {
      spawned.child.kill('SIGKILL');
      await spawned.ended;
      await simulator.close();
      await database.remove();
    });
    await untilReady(spawned, port);
    const place = { url: `http://localhost:${port}`, origin: `http://localhost:${port}` };
    const people: Visitor[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const visitor = createVisitor(() => place);
      await visitor.post('/api/register', { email: `${name}@example.com`, password: 'correct horse battery' });
      // Hashing passwords and the first upload load what is needed once.
      await uploaded(place, visitor);
      people.push(visitor);
    }
    const content = someBytes(50 * megabyte);
    const wanted = sha256(content);
    const there = async (count: number) => {
      const visitors = [...people, ...people].slice(0, count);
      const files = await Promise.all(
        visitors.map(async (visitor) => ({ visitor, file: await uploaded(place, visitor, { content }) })),
      );
      await Promise.all(
        files.map(async ({ visitor, file }) => {
          expect(sha256((await download(place, visitor, file.id)).bytes)).toBe(wanted);
          await visitor.delete(`/api/files/${file.id}`);
        }),
      );
    };
    /** The most there is while `work` goes on. */
    const peakOf = async (work: () => Promise<void>) => {
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryOf(spawned.child.pid));
      }, 10);
      await work().finally(() => clearInterval(watch));
      return peak;
    };
    // The engine lets a fixed amount of garbage lie before it collects; one upload after another reaches that as well.
    const oneByOne = await peakOf(async () => {
      for (let round = 0; round < 8; round++) await there(1);
    });
    const allAtOnce = await peakOf(() => there(8));
    expect(allAtOnce - oneByOne).toBeLessThan(growthAllowed);
  },
);
