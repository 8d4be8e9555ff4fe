import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { patienceMs, testLimitMs } from '../scripts/test/patience.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    testTimeout: testLimitMs,
    hookTimeout: testLimitMs,
    expect: { poll: { timeout: patienceMs, interval: 20 } },
    pool: 'forks',
    maxWorkers: availableParallelism(),
    // One worker for many files, without a build: Node runs the tests as it runs the simulator.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
