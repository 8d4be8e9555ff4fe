import type { Page } from '@playwright/test';
import { atGitHub, type GitHub, startGitHub } from '../server/src/testing/github.ts';
import { atGoogle, type Google, startGoogle } from '../server/src/testing/google.ts';
import { expect, expectAccessible, expectToast, newEmail, password, request, test } from './fixtures.ts';
import { storedPasswordLink } from './mailbox.ts';
import { type Roster, startRoster } from './roster.ts';

let google: Google;
let github: GitHub;
// One installation, and one user at a time at Google and GitHub.
test.describe.configure({ mode: 'default' });

let roster: Roster;
test.beforeAll(async () => {
  [google, github] = [await startGoogle(), await startGitHub({ asks: true })];
  roster = await startRoster({ env: { ...google.env, ...github.env } });
  // The first user becomes the administrator.
  await fetch(`${roster.url}/api/register`, {
    method: 'POST',
    headers: { origin: roster.url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'first@example.com', password }),
  });
});
test.afterAll(async () => {
  await roster?.[Symbol.asyncDispose]();
  await google?.close();
  await github?.close();
});

const link = (page: Page, name: 'Google' | 'GitHub') => page.getByRole('link', { name, exact: true });
const method = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
const bare = (path: string) => (url: URL) =>
  url.origin === new URL(roster.url).origin && url.pathname + url.search === path;

test('registers with Google, signs in again, and returns to the requested page', { tag: '@main' }, async ({ page }) => {
  const email = newEmail();
  google.steering.claims = atGoogle(`g-${email}`, email, { name: 'Gina' });
  await page.goto(`${roster.url}/auth`);
  await link(page, 'Google').click();
  await expect(page.getByRole('heading', { name: 'Welcome, Gina' })).toBeVisible();
  await page.goto(`${roster.url}/settings`);
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();
  await expect(method(page, 'Google')).toContainText(email);
  // The last login method cannot be removed.
  const disconnect = page.getByRole('button', { name: 'Disconnect Google' });
  await expect(disconnect).toBeDisabled();
  await expect(disconnect).toHaveAccessibleDescription(/only way to log in/);
  await expectAccessible(page);

  // A first password comes by a link to the user's address.
  await page.getByRole('button', { name: 'Set Password' }).click();
  await expectToast(page, 'Link requested', 'The operator of this installation');
  await page.goto(await storedPasswordLink(roster, email));
  await page.getByLabel('New Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(bare('/auth'));

  await page.goto(`${roster.url}/settings?tab=account`);
  await expect(page).toHaveURL(/\/auth\?redirect=/);
  await link(page, 'Google').click();
  await expect(page).toHaveURL(bare('/settings?tab=account'));
  await expect(method(page, 'Password')).toContainText('Password set');
  await disconnect.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect Google' }).click();
  await expectToast(page, 'Google disconnected', 'You can no longer log in with Google.');
  await expect(method(page, 'Google')).toContainText('Not connected');
  await expect(page.getByText('Login method disconnected: Google')).toBeVisible();
});

test('connects GitHub to an account, cancelled at first, and then to no other', async ({ page, browser }) => {
  const email = newEmail();
  github.steering.person = atGitHub(4711, email, 'Octo Cat');
  await request(page, roster, 'POST', '/api/register', { email, password });
  await page.goto(`${roster.url}/settings`);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expectToast(page, 'Connecting failed', 'You cancelled at the login provider');
  await expect(page).toHaveURL(bare('/settings?tab=account'));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expectToast(page, 'GitHub connected', 'You can now log in with your GitHub account.');
  await expect(page).toHaveURL(bare('/settings?tab=account'));
  await expect(method(page, 'GitHub')).toContainText(`Connected · ${email}`);

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const other = await context.newPage();
  await request(other, roster, 'POST', '/api/register', { email: newEmail(), password });
  await other.goto(`${roster.url}/settings`);
  await other.getByRole('button', { name: 'Connect GitHub' }).click();
  await other.getByRole('button', { name: 'Allow' }).click();
  await expectToast(other, 'Connecting failed', 'already connected to another account');
  await expect(other.getByText('Login method refused: GitHub, connected to another account')).toBeVisible();
  await page.reload();
  const asked = page
    .getByRole('listitem')
    .filter({ hasText: 'Login method refused: GitHub, asked for by another account' });
  await expect(asked).toContainText(/IP.(127\.0\.0\.1|::1)/);
  await expect(asked).not.toContainText('By you');
  await context.close();
});

test('shows every failure on the sign-in page, and clears the address', async ({ page }) => {
  const email = newEmail();
  await page.goto(`${roster.url}/auth?tab=register`);
  await expect(page.getByText('OR SIGN UP WITH')).toBeVisible();
  await link(page, 'GitHub').click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expectToast(page, 'Login failed', 'You cancelled at the login provider');
  await expect(page).toHaveURL(bare('/auth'));
  await expectAccessible(page);

  github.steering.person = {
    ...atGitHub(4712, email),
    emails: [{ email, primary: true, verified: false }],
  };
  await link(page, 'GitHub').click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expectToast(page, 'Login failed', 'has not verified your email address');

  github.steering.person = atGitHub(4713, 'first@example.com');
  await link(page, 'GitHub').click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expectToast(page, 'Login failed', 'There is already an account with this email address.');
  // The account's owner finds it in the activity log.
  const credentials = { email: 'first@example.com', password };
  expect((await request(page, roster, 'POST', '/api/login', credentials)).status).toBe(200);
  await page.goto(`${roster.url}/settings`);
  const refusal = page.getByRole('listitem').filter({ hasText: 'Sign-in failed: GitHub, address not confirmed' });
  await expect(refusal).toContainText('Chrome on Linux');
  await expect(refusal).not.toContainText('By you');
  await expectAccessible(page);
  expect((await request(page, roster, 'POST', '/api/logout')).status).toBe(204);

  // A callback that this browser did not start.
  await page.goto(`${roster.url}/auth/google/callback?code=stolen&state=${'x'.repeat(43)}`);
  await expectToast(page, 'Login failed', 'Start again and finish it here.');
  await expect(page).toHaveURL(bare('/auth'));
  await page.goto(`${roster.url}/auth?error=%3Cb%3Econstructor`);
  await expectToast(page, 'Login failed', 'Please try again.');
});

test('signs a visitor in by the address itself, and leads a signed-in user to Settings', async ({ page }) => {
  const email = newEmail();
  google.steering.claims = atGoogle(`g-${email}`, email);
  await page.goto(`${roster.url}/auth/google?redirect=%2Fsettings`);
  await expect(page).toHaveURL(bare('/settings'));
  await expect(method(page, 'Google')).toContainText(email);
  await page.goto(`${roster.url}/auth/github`);
  await expect(page).toHaveURL(bare('/settings?tab=account'));
  await expect(method(page, 'GitHub')).toContainText('Not connected');
});

test('closes an account without a password after a fresh sign-in', async ({ page }) => {
  const email = newEmail();
  google.steering.claims = atGoogle(`g-${email}`, email);
  await page.goto(`${roster.url}/auth`);
  await link(page, 'Google').click();
  await expect(page.getByRole('heading', { name: `Welcome, ${email}` })).toBeVisible();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(page.getByText('Signed in', { exact: true }).or(page.getByText('Signed in: Google'))).toBeVisible();
  // Ten minutes later.
  const json = { code: 'fresh_sign_in_required', message: 'Confirm it’s you.' };
  await page.route('**/api/user', (route) => route.fulfill({ status: 403, json }), { times: 1 });
  await page.route('**/api/user/confirm', (route) => route.fulfill({ json: { isFresh: false, ways: ['google'] } }));
  const close = page.getByRole('button', { name: 'Close account' });
  const dialog = page.getByRole('alertdialog', { name: 'Close account' });
  await close.click();
  await expect(dialog).toContainText('within 10 minutes of signing in');
  await dialog.getByRole('button', { name: 'Close account' }).click();
  const again = page.getByRole('alertdialog', { name: 'Confirm it’s you' });
  await expectAccessible(page);
  await again.getByRole('button', { name: 'Continue with Google' }).click();
  await expect(again).toBeHidden();
  await expect(page).toHaveURL(bare('/settings'));
  await close.click();
  await dialog.getByRole('button', { name: 'Close account' }).click();
  await expectToast(page, 'Account closed', 'Your account and everything in it has been removed.');
  await expect(page).toHaveURL(bare('/auth'));
});
