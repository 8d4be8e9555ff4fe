import { availableParallelism } from 'node:os';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { patienceMs, testLimitMs } from '../scripts/test/patience.ts';
import { webTests } from '../scripts/test/selection.ts';
import { diagramFrame } from './diagram-frame.ts';

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    // ResizeObserver reports this on the window when a callback changes a size, which is harmless. Vitest prints it as
    // an error; testing/setup.ts fails a test on every other one.
    onConsoleLog: (log) => !log.includes('ResizeObserver loop completed with undelivered notifications.'),
    projects: [
      {
        test: {
          name: 'logic',
          ...webTests('ts'),
          pool: 'forks',
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          expect: { poll: { timeout: patienceMs, interval: 20 } },
          isolate: false,
        },
      },
      {
        plugins: [react(), tailwindcss({ optimize: false }), diagramFrame()],
        // Vite's scan does not find workers; a dependency discovered later would reload every page.
        optimizeDeps: { entries: ['src/main.tsx', 'src/**/*-worker.ts', 'src/**/*.test.tsx'] },
        test: {
          name: 'components',
          isolate: false,
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          expect: { poll: { timeout: patienceMs } },
          setupFiles: ['src/testing/setup.ts'],
          ...webTests('tsx'),
          browser: {
            enabled: true,
            // Vite compiles the whole application before the first page of a new checkout connects.
            connectTimeout: testLimitMs,
            headless: true,
            screenshotFailures: false,
            // As in the browser tests: names and texts match partially and ignore case.
            locators: { exact: false },
            viewport: { width: 1440, height: 900 },
            provider: playwright({
              launchOptions: {
                executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
                args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
              },
              contextOptions: { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
