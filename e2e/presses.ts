import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export type By = 'pointer' | 'keyboard';

const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Presses Tab until the target has the focus. */
export async function tabTo(page: Page, target: Locator) {
  await expect(target).toBeVisible();
  for (let count = 0; count < 80; count++) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reached ${target}`);
}

/** True if an arrow key has come to the target, which need not have the focus itself: an option of a list. */
const isActive = (target: Locator) =>
  target.evaluate(
    (element) =>
      element === document.activeElement ||
      element.id === document.activeElement?.getAttribute('aria-activedescendant'),
  );

async function arrowTo(page: Page, target: Locator, key: 'ArrowDown' | 'ArrowRight') {
  for (let count = 0; count < 80; count++) {
    if (await isActive(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never reached ${target}`);
}

/** Goes to the target as its role wants, and presses Enter. */
async function pressByKeyboard(page: Page, target: Locator) {
  await expect(target).toBeVisible();
  const role = await target.getAttribute('role');
  if (role === 'tab') {
    await tabTo(page, page.getByRole('tab', { selected: true }));
    await arrowTo(page, target, 'ArrowRight');
  } else if (role === 'option' || role?.startsWith('menuitem')) await arrowTo(page, target, 'ArrowDown');
  else await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function chooseByKeyboard(page: Page, field: Locator, option: string) {
  await tabTo(page, field);
  for (let count = 0; count < 80 && (await field.inputValue()) !== option; count++)
    await page.keyboard.press('ArrowDown');
  await expect(field).toHaveValue(option);
}

/** Counts presses of a main job; docs/contributor/main-jobs.md has the table. */
export function presses(page: Page, by: By = 'pointer') {
  let count = 0;
  return {
    press: async (what: Locator) => {
      if (by === 'pointer') await what.click();
      else await pressByKeyboard(page, what);
      count += 1;
    },
    /** Choosing from a drop-down counts as one press. */
    choose: async (field: Locator, option: string) => {
      if (by === 'pointer') await field.selectOption(option);
      else await chooseByKeyboard(page, field, option);
      count += 1;
    },
    /** Typing is not counted. */
    type: async (field: Locator, text: string) => {
      if (by === 'pointer') return field.fill(text);
      await tabTo(page, field);
      await page.keyboard.insertText(text);
    },
    expectPresses: (expected: number) => expect(count, 'presses').toBe(expected),
  };
}
