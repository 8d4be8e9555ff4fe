import { afterEach, beforeEach, expect, vi } from 'vitest';
import { page } from 'vitest/browser';
import { beginAnswering, expectAnswered } from './answers.ts';
import { forgetAppearance, leave } from './app.tsx';

/**
 * An observer that changes a size within its turn is told the rest in the next frame, and the window that there was a rest.
 * That is no fault, and would be written as one. Added past `window`, where the runner counts listeners: of errors that
 * have one besides its own it thinks that a test expects them.
 */
EventTarget.prototype.addEventListener.call(
  window,
  'error',
  (event) => {
    if (
      event instanceof ErrorEvent &&
      event.message === 'ResizeObserver loop completed with undelivered notifications.'
    )
      event.stopImmediatePropagation();
  },
  { capture: true },
);

// Here and not where they are made: this file alone is run again before each file of tests.
beforeEach(async () => {
  beginAnswering();
  document.documentElement.dataset.theme = 'dark';
  vi.spyOn(console, 'error');
  await page.viewport(1440, 900);
});
afterEach(() => {
  leave();
  localStorage.clear();
  sessionStorage.clear();
  forgetAppearance();
  expectAnswered();
  // biome-ignore lint/suspicious/noConsole: what is said there is a fault
  const said = vi.mocked(console.error).mock.calls;
  vi.restoreAllMocks();
  expect(said, 'errors in the console').toEqual([]);
});
