import type { Page } from '@playwright/test';
import { expect, expectToast, goodKey, openAtRest, password, request, test, toasts, untilUsable } from './fixtures.ts';

const keyField = (page: Page) => page.getByLabel(/^(API key|Replace the API key)$/);
const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date());

async function saveKey(page: Page, key: string) {
  await keyField(page).fill(key);
  await page.getByRole('button', { name: 'Save API Key' }).click();
}

test.describe('API key', () => {
  test.beforeEach(async ({ page, signedIn: _ }) => {
    await page.goto('/settings?tab=api-keys');
    await untilUsable(page);
  });

  test('is checked, saved, and never shown again', { tag: '@main' }, async ({ page }) => {
    // Read while in transit: the browser discards the responses of a page that is left.
    const bodies: string[] = [];
    await page.route('**/api/**', async (route) => {
      const response = await route.fetch();
      bodies.push(await response.text());
      await route.fulfill({ response });
    });
    await expect(page.getByText('No API Key set')).toBeVisible();
    await expect(page.getByText("The key begins with 'sk-'.")).toBeVisible();
    await saveKey(page, goodKey);
    await expectToast(page, 'API Key Updated', 'Your OpenAI API key has been securely stored.');
    await expect(page.getByRole('status').filter({ hasText: 'The key works' })).toBeVisible();
    await expect(page.getByText('API Key is set')).toBeVisible();
    await expect(page.getByText(`Added on ${today}`)).toBeVisible();
    await expect(page.getByText(`ends in ${goodKey.slice(-4)}`)).toBeVisible();
    await expect(page.getByText('encrypted at rest with a key kept outside the database')).toBeVisible();
    // Three seconds after the success.
    await expect(keyField(page)).toHaveValue('');
    await page.reload();
    await expect(page.getByText('API Key is set')).toBeVisible();
    await page.getByRole('tab', { name: 'Assistants' }).click();
    await page.getByRole('tab', { name: 'API Key', exact: true }).click();
    await expect(page.getByText('An API key is already saved.')).toBeVisible();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await expect(page.getByText('No conversations yet')).toBeVisible();
    expect(await page.content()).not.toContain(goodKey);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(body).not.toContain(goodKey);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(kept).not.toContain(goodKey);
  });
});

test.describe('sessions', () => {
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
  test.use({ userAgent });

  test('lists the devices, and signs out one or all others', async ({ page, roster, elsewhere, signedIn }) => {
    await page.goto('/settings?tab=sessions');
    const rows = page.getByRole('main').getByRole('listitem');
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText('Chrome on Linux');
    await expect(rows.first()).toContainText('Current');
    await expect(rows.first()).toContainText('Last active just now');
    await expect(rows.first()).toContainText(`Sign-in date ${today}`);
    await expect(rows.first()).toContainText('IP 127.0.0.1');
    await expect(rows.first().getByRole('button')).toHaveCount(0);
    const signOutOthers = page.getByRole('button', { name: 'Sign out all other devices' });
    await expect(signOutOthers).toBeDisabled();

    const logIn = () => request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password });
    await logIn();
    await openAtRest(elsewhere, '/chat');
    await page.reload();
    await expect(rows).toHaveCount(2);
    await rows
      .nth(1)
      .getByRole('button', { name: /Sign out/ })
      .click();
    await expect(toasts(page).filter({ hasText: 'Session terminated' })).toBeVisible();
    await expect(rows).toHaveCount(1);
    await elsewhere.getByRole('link', { name: 'Settings', exact: true }).click();
    await expect(elsewhere).toHaveURL(/\/auth/);

    await logIn();
    await page.reload();
    await expect(rows).toHaveCount(2);
    await signOutOthers.click();
    await expect(toasts(page).filter({ hasText: 'All sessions terminated' })).toBeVisible();
    await expect(rows).toHaveCount(1);
    await expect(signOutOthers).toBeDisabled();
  });
});
