import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { patienceMs, testLimitMs } from '../scripts/test/patience.ts';
import { serverTests, testFilesOf } from '../scripts/test/selection.ts';

// As scripts/install.mjs has it, also where the runner is called by itself: a worker and the servers that tests start
// need not compile what another one has.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache/compiled', import.meta.url));

/** These take longest: begun last, they would be waited for alone. Most start a server many times, or wait for its bounds. */
const longest = [
  'generated-input',
  'crash',
  'connections',
  'hanging-provider',
  'backup',
  'drain',
  'operator',
  'processes',
  'open-responses',
  'account/export',
  'validate',
  'generated-files',
  'closing',
  'away',
  'knowledge',
  'ended-meanwhile',
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
    // Their titles name the engine, so that what runs beside them in one file runs once.
    ...(chosen === 'postgres' && { testNamePattern: 'postgres' }),
    // They need programs from outside: scripts/test/system.mjs has them run where those are.
    exclude: process.env.SYSTEM_TESTS ? [] : ['**/*.system.test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
    pool: 'forks',
    // Two more than there are cores: a third of the time tests wait, for disks, for databases and for each other.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // A worker loads the server once for all of its files. They share nothing else: each starts applications of its own.
    isolate: false,
    // Node runs the tests as it runs the server, without a build in between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
