import type { Page } from '@playwright/test';
import { linkIn, startMailServer } from '../server/src/testing/mail.ts';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  leaveAllPages,
  newEmail,
  password,
  request,
  test,
} from './fixtures.ts';
import { expectBareAddress, storedPasswordLink } from './mailbox.ts';
import { startRoster } from './roster.ts';

const chosen = 'a new sentence to remember';
const newPassword = (page: Page) => page.getByLabel('New Password', { exact: true });
const confirmation = (page: Page) => page.getByLabel('Confirm Password', { exact: true });
const ask = (page: Page) => page.getByRole('button', { name: 'Send reset link' }).click();

async function logIn(page: Page, email: string, secret: string) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Login' }).click();
}

test('replaces a forgotten password by keyboard, and signs every device out', { tag: '@main' }, async ({
  elsewhere: visitor,
  page,
  roster,
  signedIn: { email },
}) => {
  await page.goto('/settings');
  await visitor.goto('/auth');
  await visitor.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(visitor.getByText('has no mail server')).toBeVisible();
  await ask(visitor);
  await expect(visitor.getByText('Email is required')).toBeVisible();
  await visitor.keyboard.type(email);
  await visitor.keyboard.press('Enter');
  await expectToast(
    visitor,
    'Reset email sent',
    "If an account exists with that email, you'll receive reset instructions shortly.",
  );
  await expectAccessible(visitor);

  const link = await storedPasswordLink(roster, email);
  await visitor.goto(link);
  await expect(visitor.getByRole('heading', { name: 'Set a new password' })).toBeVisible();
  await expectBareAddress(visitor, '/reset-password');
  await newPassword(visitor).fill('short');
  await visitor.keyboard.press('Enter');
  await expectToast(visitor, 'Password too short', 'Password must be at least 8 characters long.');
  await expect(visitor.getByRole('alert').filter({ hasText: "Passwords don't match" })).toBeVisible();
  await expect(newPassword(visitor)).toBeFocused();
  // Too common for the server.
  await newPassword(visitor).fill('password123');
  await confirmation(visitor).fill('password123');
  await visitor.keyboard.press('Enter');
  await expectToast(visitor, 'Password reset failed', '');
  await expect(newPassword(visitor)).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(visitor);
  await newPassword(visitor).fill(chosen);
  await confirmation(visitor).fill(chosen);
  await visitor.keyboard.press('Enter');
  await expect(visitor.getByText('Your password has been set')).toBeVisible();
  await expectToast(visitor, 'Password reset successful', 'You can now log in with your new password.');
  await expect(visitor).toHaveURL('/auth');
  await logIn(visitor, email, chosen);
  await expect(visitor.getByRole('heading', { name: `Welcome, ${email}` })).toBeVisible();

  await page.getByRole('tab', { name: 'Sessions' }).click();
  await expect(page).toHaveURL(/\/auth/);

  // Valid once; signed-in users can open it too.
  await visitor.goto(link);
  await newPassword(visitor).fill(`${chosen}!`);
  await confirmation(visitor).fill(`${chosen}!`);
  await visitor.keyboard.press('Enter');
  await expectToast(visitor, 'Password reset failed', 'Invalid or expired reset token. Please try again.');
  await visitor.getByRole('link', { name: 'Request a new link' }).click();
  await expect(visitor).toHaveURL('/request-reset-password');
});

test('reports an incomplete link at once, and leads to a new one', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const query of ['', '?token=abc', '?userId=1', '?token=abc&userId=one', '?token=&userId=1']) {
    await page.goto(`/reset-password${query}`);
    await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeVisible();
  }
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  await page.route('**/api/reset-password/request', (route) => route.abort());
  await page.getByLabel('Email').fill('ada@example.com');
  await ask(page);
  await expectToast(page, 'Reset request failed', 'Please try again later.');
});

test.describe('on a phone, in the light theme', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('reports a wrong token after sending', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('app-theme', 'light'));
    await page.goto(`/reset-password?token=${'A'.repeat(43)}&userId=1`);
    await expectBareAddress(page, '/reset-password');
    await newPassword(page).fill(chosen);
    await confirmation(page).fill(chosen);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reset Password' }).tap();
    await expectToast(page, 'Password reset failed', 'Invalid or expired reset token. Please try again.');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});

test('confirms an address, and resets by mail, over a mail server', async ({ page, browser }) => {
  const mails = await startMailServer();
  await using roster = await startRoster({ env: mails.env });
  const email = newEmail();
  expect((await request(page, roster, 'POST', '/api/register', { email, password })).status).toBe(201);
  await page.goto(`${roster.url}/settings`);
  await expect(page.getByText('Not confirmed')).toBeVisible();
  await page.getByRole('button', { name: 'Send confirmation email' }).click();
  await expectToast(page, 'Confirmation email sent', email);
  // The first one came with the account.
  const mail = await mails.mailTo(email, 'Confirm your email address for Roster', 2);
  const { href, userId } = linkIn(mail, '/confirm-email');

  await page.goto(`${roster.url}/confirm-email?token=${'A'.repeat(43)}&userId=${userId}`);
  await expect(page.getByText('This link is not valid for your account, or has expired.')).toBeVisible();
  await expectBareAddress(page, '/confirm-email');
  await expect(page.getByRole('button', { name: 'Send a new confirmation email' })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${roster.url}/confirm-email?token=${'A'.repeat(43)}&userId=${userId + 1}`);
  await expect(page.getByRole('heading', { name: 'This link is for another account' })).toBeVisible();

  // Opened without a session, it asks to sign in and continues from there.
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const visitor = await context.newPage();
  await visitor.goto(href);
  await expectBareAddress(visitor, '/confirm-email');
  await expectAccessible(visitor);
  await logIn(visitor, email, password);
  await expect(visitor.getByRole('heading', { name: 'Your email address is confirmed' })).toBeVisible();
  await visitor.getByRole('link', { name: 'Account settings' }).click();
  await expect(visitor.getByText('Confirmed', { exact: true })).toBeVisible();
  await expect(visitor.getByText('Email address confirmed')).toBeVisible();

  await visitor.goto(`${roster.url}/request-reset-password`);
  await expect(visitor.getByText('has no mail server')).toBeHidden();
  await visitor.getByLabel('Email').fill(email);
  await ask(visitor);
  await visitor.goto(linkIn(await mails.mailTo(email, 'Reset your Roster password'), '/reset-password').href);
  await newPassword(visitor).fill(chosen);
  await confirmation(visitor).fill(chosen);
  await visitor.keyboard.press('Enter');
  // The user who is signed in here is signed out too.
  await expect(visitor).toHaveURL(`${roster.url}/auth`);
  await logIn(visitor, email, chosen);
  await expect(visitor.getByRole('heading', { name: `Welcome, ${email}` })).toBeVisible();
  await context.close();
  await mails.stop();
  await leaveAllPages(page.context());
});
