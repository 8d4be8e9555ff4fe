import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: availableParallelism(),
    // One worker for many files, without a build in between: Node runs the tests as it runs the simulator.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
