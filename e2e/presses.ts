import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Counts presses of a main job; docs/contributor/main-jobs.md has the table. */
export function presses() {
  let count = 0;
  return {
    press: async (what: Locator) => {
      await what.click();
      count += 1;
    },
    /** Choosing from a drop-down counts as one press. */
    choose: async (field: Locator, option: string) => {
      await field.selectOption(option);
      count += 1;
    },
    expectPresses: (expected: number) => expect(count, 'presses').toBe(expected),
  };
}
