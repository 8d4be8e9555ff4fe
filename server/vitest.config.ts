import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    // They say when to give up, also on a machine that does much else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second try tells a defect from a machine that was busy elsewhere; scripts/test.mjs names each test that needed one.
    retry: 1,
    pool: 'forks',
    maxWorkers: 2,
  },
});
