import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, expectToast, goodKey, openAtRest, request, test, untilUsable } from './fixtures.ts';

const mainMenu = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('shows the sidebar as an overlay behind a floating button on a phone', async ({ page, signedIn }) => {
  await page.setViewportSize({ width: 767, height: 900 });
  await page.goto('/');
  await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
  await expect(mainMenu(page)).toBeHidden();
  const opener = page.getByRole('button', { name: 'Open sidebar' });
  const overlay = page.getByRole('dialog', { name: 'Sidebar' });
  await opener.click();
  await expect(overlay).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(overlay).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.click();
  await overlay.getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL('/settings');
  await expect(overlay).toBeHidden();
  await page.setViewportSize({ width: 768, height: 900 });
  await expect(mainMenu(page)).toBeVisible();
  await expect(opener).toBeHidden();
});

test.describe('theme', () => {
  /** Records the page's themes since it started, each with whether anything was visible yet. */
  const recordThemes = () => {
    const seen: string[] = [];
    Object.assign(window, { themesSeen: seen });
    new MutationObserver(() => {
      const theme = document.documentElement?.dataset.theme;
      if (theme && !seen.at(-1)?.startsWith(theme))
        seen.push(`${theme} ${document.body ? 'after' : 'before'} the first paint`);
    }).observe(document, { subtree: true, childList: false, attributes: true, attributeFilter: ['data-theme'] });
  };
  const themesSeen = (page: Page) => page.evaluate(() => Reflect.get(window, 'themesSeen'));

  test('is dark until one is chosen, is stored, and never flashes', async ({ page, signedIn: _ }) => {
    await page.addInitScript(recordThemes);
    await page.goto('/settings?tab=preferences');
    await untilUsable(page);
    expect(await themesSeen(page)).toEqual(['dark before the first paint']);
    await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked();

    await page.getByText('Light', { exact: true }).click();
    await expectToast(page, 'Theme Updated', 'Roster is now light.');
    await expect(page.getByRole('switch', { name: 'Dark Mode' })).not.toBeChecked();
    expect(await page.evaluate(() => localStorage.getItem('app-theme'))).toBe('light');
    await page.reload();
    await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
    expect(await themesSeen(page)).toEqual(['light before the first paint']);
  });

  test('follows the device at once if that is chosen', async ({ page, signedIn: _ }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto('/settings?tab=preferences');
    await untilUsable(page);
    const shown = page.locator('html');
    await page.getByText('System', { exact: true }).click();
    await expect(shown).toHaveAttribute('data-theme', 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(shown).toHaveAttribute('data-theme', 'dark');
    await page.getByRole('switch', { name: 'Dark Mode' }).click();
    await expectToast(page, 'Dark Mode Disabled', 'Roster is now light.');
    await page.getByRole('switch', { name: 'Dark Mode' }).click();
    await expectToast(page, 'Dark Mode Enabled', 'Roster is now dark.');
    await expect(shown).toHaveAttribute('data-theme', 'dark');
  });
});

test.describe('toasts', () => {
  test.beforeEach(async ({ page, signedIn: _ }) => {
    await page.goto('/settings?tab=preferences');
    await untilUsable(page);
  });
});

test('announces a change of page, and moves the focus to its heading', async ({ page, signedIn: _ }) => {
  // A link in the prerendered shell loads a whole page, which announces itself.
  await openAtRest(page, '/');
  await untilUsable(page);
  const said = page.locator('[data-page-change]');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(said).toHaveText('');
  await expect(page.locator('body')).toBeFocused();
  await page.getByRole('link', { name: 'Files' }).first().press('Enter');
  await expect(page.getByRole('heading', { name: 'File Management', level: 1 })).toBeFocused();
  await expect(said).toHaveText('File Management');
  await expect(said).toHaveAttribute('aria-live', 'polite');

  // No key is missed if they come faster than the page.
  await page.goto('/settings');
  await untilUsable(page);
  await page.getByRole('tab', { name: 'Account' }).focus();
  const names = await page.getByRole('tab').allTextContents();
  await page.evaluate(() => {
    const press = (key: string) =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    press('ArrowRight');
    press('ArrowRight');
  });
  await expect(page.getByRole('tab', { name: names[2] ?? '' })).toBeFocused();
  await expect(page.getByRole('tab', { name: names[2] ?? '' })).toHaveAttribute('aria-selected', 'true');

  // The focus ring is for keyboard users.
  const ring = (name: string | undefined) =>
    page.getByRole('tab', { name: name ?? '' }).evaluate((tab) => getComputedStyle(tab).outlineStyle);
  await page.getByRole('tab', { name: names[1] ?? '' }).click();
  await expect(page.getByRole('tab', { name: names[1] ?? '' })).toBeFocused();
  expect(await ring(names[1])).toBe('none');
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('tab', { name: names[0] ?? '' })).toBeFocused();
  expect(await ring(names[0])).toBe('solid');

  await page.goto('/chat/abc');
  await expect(page.getByRole('heading', { name: '404 - Page Not Found' })).toBeVisible();
  await expect(page.locator('main')).toHaveCount(1);
});

test.describe('home, for a returning user', () => {
  test('sends a question typed there in a new conversation, which is listed afterwards', {
    tag: '@main',
  }, async ({ page, roster, signedIn }) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    await page.goto('/');
    await untilUsable(page);
    await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
    const main = page.getByRole('main');
    await expect(main.getByRole('region', { name: 'Recent conversations' })).toHaveCount(0);
    await main.getByRole('textbox', { name: 'Message' }).fill('Which ships sail tonight?');
    // It is not lost on the way.
    await page.reload();
    await expect(main.getByRole('textbox', { name: 'Message' })).toHaveValue('Which ships sail tonight?');
    await main.getByRole('textbox', { name: 'Message' }).press('Enter');
    await expect(page).toHaveURL(/\/chat\/\d+$/);
    await expect(page.getByRole('article', { name: 'Question' })).toHaveText(/Which ships sail tonight\?/);
    await conversation(page).untilDone();
    await page.goto('/');
    await expect(main.getByRole('textbox', { name: 'Message' })).toHaveValue('');
    await expect(main.getByRole('region', { name: 'This month' })).toContainText('request');
    await main.getByRole('region', { name: 'Recent conversations' }).getByRole('link', { name: /ships/i }).click();
    await expect(page.getByRole('article', { name: 'Question' })).toHaveCount(1);
  });
});
