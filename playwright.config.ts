import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { patienceMs, testLimitMs } from './scripts/test/patience.ts';

const traceMode = (['on', 'retain-on-failure'] as const).find((mode) => mode === process.env.TRACE);

export default defineConfig({
  testDir: 'e2e',
  // They need programs from outside: scripts/test/system.mjs has them run where those are.
  testIgnore: process.env.SYSTEM_TESTS ? [] : '**/*.system.spec.ts',
  outputDir: 'test-results',
  timeout: testLimitMs,
  expect: { timeout: patienceMs },
  fullyParallel: true,
  // Half of a test's time is waiting for answers that are written and for timers, so a core has two of them.
  workers: availableParallelism() * 2,
  // A test that passes only the second time is a bad test.
  retries: 0,
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    locale: 'en-US',
    actionTimeout: patienceMs,
    navigationTimeout: patienceMs,
    timezoneId: 'UTC',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // In CI, for what failed; each picture of a page would cost as much as the test.
    trace: traceMode === undefined ? 'off' : { mode: traceMode, screenshots: false, sources: false },
    // A context of its own for every test costs as much as the test: cookies, storage and cache are emptied in between.
    reuseContext: true,
    // Whatever moves is drawn by the processor here.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      // Containers lack the sandbox's kernel features; the other flags keep the browser from looking for its own services.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
