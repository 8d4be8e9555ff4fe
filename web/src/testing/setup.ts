import './without-owner-stacks.ts';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectAnswered, resetAnswers } from './answers.ts';
import { leave, resetAppearance } from './app.tsx';

/** Harmless: the size settles in the next frame, and only test runners report it. */
const isNoFault = (what: unknown) => what instanceof Error && what.message.startsWith('ResizeObserver loop');

// Here, because only this file is run again before each test file.
beforeEach(async () => {
  resetAnswers();
  document.documentElement.dataset.theme = 'dark';
  vi.spyOn(console, 'error');
  if (innerWidth !== 1440 || innerHeight !== 900) await page.viewport(1440, 900);
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
