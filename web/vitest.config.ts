import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    pool: 'forks',
    maxWorkers: availableParallelism(),
    isolate: false,
  },
});
