import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  goodKey,
  newEmail,
  openAtRest,
  password,
  request,
  test,
  toasts,
  untilUsable,
} from './fixtures.ts';
import { expectBareAddress, keptMail, storedAddressLink } from './mailbox.ts';

const chosen = 'a new sentence to remember';
const activity = (page: Page) => page.locator('section').filter({ hasText: 'Recent security activity' });

test('signs the other devices out when the password is changed by keyboard', async ({
  page,
  elsewhere,
  roster,
  signedIn,
}) => {
  const { email } = signedIn;
  await request(elsewhere, roster, 'POST', '/api/login', { email, password });
  await openAtRest(elsewhere, '/settings');
  await expect(elsewhere.getByText('Password set')).toBeVisible();

  await page.goto('/settings');
  await page.getByRole('button', { name: 'Change password' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change password' });
  const current = dialog.getByLabel('Current Password', { exact: true });
  const next = dialog.getByLabel('New Password', { exact: true });
  const again = dialog.getByLabel('Confirm Password', { exact: true });
  await expect(current).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Enter your current password')).toBeVisible();
  await current.fill('not the password');
  await next.fill(chosen);
  await again.fill(`${chosen}?`);
  await page.keyboard.press('Enter');
  await expect(dialog.getByText("Passwords don't match")).toBeVisible();
  await again.fill(chosen);
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('The current password is incorrect.')).toBeVisible();
  await expect(current).toBeFocused();
  await expectAccessible(page);
  // Typed text is not lost by accident.
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).press('Enter');
  await expect(next).toHaveValue(chosen);
  await current.fill(password);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Password changed', 'All other devices have been signed out.');
  await expect(dialog).toBeHidden();
  await expect(activity(page).getByText('Password changed')).toBeVisible();
  await expect(activity(page).getByText('Wrong current password')).toBeVisible();

  await elsewhere.getByRole('tab', { name: 'Sessions' }).click();
  await expect(elsewhere).toHaveURL(/\/auth/);
  await elsewhere.getByLabel('Email').fill(email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(chosen);
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  await expect(elsewhere).toHaveURL(/\/settings/);
});

test('changes the user’s name, also in the sidebar and on Home', async ({ page, signedIn }) => {
  await page.goto('/settings');
  await expect(page.getByRole('main').getByText(signedIn.email)).toBeVisible();
  await page.getByRole('button', { name: 'Change name' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change name' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('A');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Name must be at least 2 characters')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type('da Lovelace');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Name changed', 'Your name is now Ada Lovelace.');
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Ada Lovelace', { exact: true })).toHaveCount(2);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Welcome, Ada Lovelace' })).toBeVisible();
});

test('changes the user’s address with the password and a link sent to the new one', async ({
  page,
  elsewhere,
  roster,
  signedIn: { email },
}) => {
  const next = newEmail();
  await request(elsewhere, roster, 'POST', '/api/login', { email, password });
  await openAtRest(elsewhere, '/settings');
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Change email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change email' });
  await dialog.getByLabel('New Email').fill(next);
  await dialog.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('The password is incorrect.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Link requested', 'Open it in this browser.');
  const asked = await keptMail(roster, email, 'A new address was requested for your Roster account');
  expect(asked.text).toContain(next);

  const link = await storedAddressLink(roster, next);
  // Nothing changes before that.
  await page.reload();
  await expect(page.getByRole('main').getByText(email)).toBeVisible();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Your email address was changed' })).toBeVisible();
  await expect(page.getByText(next)).toBeVisible();
  await expectBareAddress(page, '/confirm-email');
  await expectAccessible(page);
  expect((await keptMail(roster, email, 'The address of your Roster account was changed')).text).toContain(next);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await page.getByRole('link', { name: 'Account settings' }).click();
  await expect(activity(page).getByText('Email address changed')).toBeVisible();

  await elsewhere.getByRole('tab', { name: 'Sessions' }).click();
  await expect(elsewhere).toHaveURL(/\/auth/);
  await elsewhere.getByLabel('Email').fill(next);
  await elsewhere.getByLabel('Password', { exact: true }).fill(password);
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  await expect(elsewhere).toHaveURL(/\/settings/);
});

test('downloads all data as one archive, and reports a failure', async ({ page, withAssistant: _ }) => {
  // The toast's code fails to load at first: the page stays usable and shows the toast once it loads.
  await page.route('**/assets/toast-viewport-*.js', (route) => route.abort(), { times: 1 });
  await page.goto('/settings');
  await untilUsable(page);
  const button = page.getByRole('button', { name: 'Download your data' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toMatch(/^roster-export-\d{4}-\d\d-\d\d\.zip$/);
  const archive = readFileSync(await download.path());
  expect(archive.subarray(0, 2).toString()).toBe('PK');
  expect(archive.includes('README.txt')).toBe(true);
  expect(archive.includes(goodKey)).toBe(false);
  await expectToast(page, 'Data downloaded', 'The archive is in your downloads.');
  await expect(activity(page).getByText('Data downloaded')).toBeVisible();

  await page.route('**/api/user/export', (route) =>
    route.fulfill({ status: 429, json: { code: 'rate_limited', message: 'Wait a minute.' } }),
  );
  await button.click();
  await expectToast(page, 'Download failed', 'Wait a minute.');
  await page.unroute('**/api/user/export');
  await page.route('**/api/user/export', (route) => route.abort());
  await button.click();
  await expectToast(page, 'Download failed', 'The download was interrupted.');
  await page.unroute('**/api/user/export');

  // Archives that are too large for memory are left to the browser.
  await page.route('**/api/user/export', (route) => route.fulfill({ body: Buffer.alloc(33 * 1_048_576) }), {
    times: 1,
  });
  const [large] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(large.suggestedFilename()).toMatch(/^roster-export-.*\.zip$/);
  await expectToast(page, 'Download started', 'The archive is large');
});

test('shows on the card that nothing else is set up, even if Google and GitHub cannot be loaded', async ({
  page,
  signedIn,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.route('**/api/user/oauth-profiles', (route) =>
    route.fulfill({ status: 500, json: { code: 'internal', message: 'The database is being moved.' } }),
  );
  await page.goto('/settings');
  await expect(page.getByText(signedIn.email).filter({ visible: true }).first()).toBeVisible();
  const failure = page.getByRole('alert').filter({ hasText: 'Failed to load Google and GitHub' });
  await expect(failure).toContainText('The database is being moved.');
  await page.unroute('**/api/user/oauth-profiles');
  await failure.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('Not available on this installation')).toHaveCount(2);
  await expect(page.getByRole('button', { name: /^Connect/ })).toHaveCount(0);
  await expect(page.getByText('This installation has no mail server')).toBeVisible();
  await expectNoSidewaysScroll(page);
  // The links in the policy lead here.
  await page.goto('/privacy');
  await page.getByRole('link', { name: 'Settings, Account' }).click();
  await expect(page.getByRole('heading', { name: 'Download your data' })).toBeVisible();
});

for (const { theme, width } of [
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 1440 },
])
  test(`closes the account with the right password, and leaves nothing (${width} px, ${theme})`, async ({
    page,
    elsewhere,
    roster,
    withAssistant: { email },
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await request(elsewhere, roster, 'POST', '/api/login', { email, password });
    await openAtRest(elsewhere, '/settings');
    await expect(elsewhere.getByText('Password set')).toBeVisible();
    await page.goto('/chat');
    await page.evaluate((chosen) => localStorage.setItem('app-theme', chosen), theme);
    await page.goto('/settings');
    await page.evaluate(() => localStorage.setItem('draft:new', 'Nobody else is to read this'));
    await page.getByRole('button', { name: 'Close account' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Close account' });
    await expect(dialog).toContainText(email);
    const field = dialog.getByLabel('Password', { exact: true });
    await expect(field).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.getByText('Enter your password to close the account.')).toBeVisible();
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await expect(dialog.getByText('The password is incorrect.')).toBeVisible();
    await expect(field).toBeFocused();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await field.fill(password);
    await page.keyboard.press('Enter');
    await expectToast(page, 'Account closed', 'Your account and everything in it has been removed.');
    await expect(page).toHaveURL('/auth');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('Nobody else');

    await elsewhere.getByRole('tab', { name: 'Sessions' }).click();
    await expect(elsewhere).toHaveURL(/\/auth/);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Login' }).click();
    await expect(toasts(page).filter({ hasText: 'Login failed' })).toBeVisible();
  });
