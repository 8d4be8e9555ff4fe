import { afterEach, beforeEach, expect, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectAnswered, resetAnswers } from './answers.ts';
import { leave, resetAppearance } from './app.tsx';

/** A size that was settled in the next frame; a browser says so to nobody else. */
const isNoFault = (what: unknown) => what instanceof Error && what.message.startsWith('ResizeObserver loop');

// Here and not where they are made: this file alone is run again before each file of tests.
beforeEach(async () => {
  resetAnswers();
  document.documentElement.dataset.theme = 'dark';
  vi.spyOn(console, 'error');
  await page.viewport(1440, 900);
});
afterEach(() => {
  leave();
  localStorage.clear();
  sessionStorage.clear();
  resetAppearance();
  expectAnswered();
  // biome-ignore lint/suspicious/noConsole: what is said there is a fault
  const said = vi.mocked(console.error).mock.calls.filter(([what]) => !isNoFault(what));
  vi.restoreAllMocks();
  expect(said, 'errors in the console').toEqual([]);
});
