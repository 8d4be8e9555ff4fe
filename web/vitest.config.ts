import { availableParallelism } from 'node:os';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { patienceMs, testLimitMs } from '../scripts/test/patience.ts';
import { diagramFrame } from './diagram-frame.ts';

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    // An observer that changes a size is told the rest in the next frame, and the window that there was a rest. The runner
    // writes that as an error of the page; testing/setup.ts has every other error fail its test.
    onConsoleLog: (log) => !log.includes('ResizeObserver loop completed with undelivered notifications.'),
    projects: [
      {
        test: {
          name: 'logic',
          include: ['src/**/*.test.ts'],
          pool: 'forks',
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          expect: { poll: { timeout: patienceMs, interval: 20 } },
          isolate: false,
        },
      },
      {
        plugins: [react(), tailwindcss({ optimize: false }), diagramFrame()],
        // Workers are found by nobody before they are started: a library that comes then has every page loaded anew.
        optimizeDeps: { entries: ['src/main.tsx', 'src/**/*-worker.ts', 'src/**/*.test.tsx'] },
        test: {
          name: 'components',
          isolate: false,
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          expect: { poll: { timeout: patienceMs } },
          setupFiles: ['src/testing/setup.ts'],
          include: ['src/**/*.test.tsx'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            // As in the browser tests: a part of a name or text, whatever its case.
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
