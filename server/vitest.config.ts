import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { patienceMs, testLimitMs } from '../scripts/test/patience.ts';
import { serverTests, testFilesOf } from '../scripts/test/selection.ts';

// Set here too, for a runner that is started by itself: workers and the servers that tests start share compiled code.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache/compiled', import.meta.url));

/** The slowest files start first, so that no worker runs one alone at the end. */
const longest = [
  'generated-input',
  'tool-crash',
  'imports',
  'crash',
  'connections',
  'hanging-provider',
  'back-up',
  'graceful-shutdown',
  'operator',
  'processes',
  'response-registry',
  'drain',
  'converted-files',
  'main',
  'account/export',
  'validate',
  'generated-files',
  'delete-account',
  'unavailable',
  'database-unavailable',
  'knowledge',
  'access-revoked-meanwhile',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => new RegExp(`/${name}(?:\\.pg|\\.long)?\\.test\\.ts$`).test(moduleId));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const chosen = serverTests();

export default defineConfig({
  test: {
    include: chosen
      ? testFilesOf(chosen, fileURLToPath(new URL('src', import.meta.url))).map((path) => `src/${path}`)
      : ['src/**/*.test.ts'],
    // Titles name the engine, so tests without an engine run once.
    ...(chosen === 'postgres' && { testNamePattern: 'postgres' }),
    // These need other programs; scripts/test/system.mjs runs them where those are installed.
    exclude: process.env.SYSTEM_TESTS ? [] : ['**/*.system.test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
    pool: 'forks',
    // Two more than there are cores: a third of the time tests wait for disks, databases and each other.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // A worker loads the server once for all of its files. They share nothing else: each starts applications of its own.
    isolate: false,
    // Node runs the tests as it runs the server, without a build in between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
