import type { Page } from '@playwright/test';
import { expect, expectToast, newEmail, openAtRest, password, request, test, untilUsable } from './fixtures.ts';

const mainMenu = (page: Page) => page.getByRole('navigation', { name: 'Main' });

async function fillLogin(page: Page, email: string, secret: string) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
}

async function logIn(page: Page, email: string, secret = password) {
  await fillLogin(page, email, secret);
  await page.getByRole('button', { name: 'Login' }).click();
}

async function register(page: Page, email: string, secret = password, again = secret) {
  await untilUsable(page);
  await page.getByRole('tab', { name: 'Register' }).click();
  // Until then the login form is shown.
  await expect(page.getByLabel('Confirm Password')).toBeVisible();
  await fillLogin(page, email, secret);
  await page.getByLabel('Confirm Password').fill(again);
  await page.getByRole('button', { name: 'Register' }).click();
}

test.describe('registering', () => {
  test('makes only the first user the administrator', { tag: '@main' }, async ({ page, ownRoster }) => {
    await page.goto(`${ownRoster.url}/auth`);
    // There is nobody who could log in yet.
    await expect(page.getByRole('tab', { name: 'Register' })).toHaveAttribute('aria-selected', 'true');
    const first = newEmail();
    await register(page, first);
    await expectToast(page, 'Account created', 'Your account has been created successfully!');
    await expect(page.getByRole('heading', { name: `Welcome, ${first}` })).toBeVisible();
    await expect(mainMenu(page).getByRole('link', { name: 'Users' })).toBeVisible();
    await page.getByRole('button', { name: 'Logout' }).click();

    await register(page, newEmail());
    await expect(mainMenu(page).getByRole('link', { name: 'Settings' })).toBeVisible();
    await expect(mainMenu(page).getByRole('link', { name: 'Users' })).toBeHidden();
    await page.goto(`${ownRoster.url}/users`);
    await expect(page).toHaveURL(`${ownRoster.url}/`);
  });
});

test.describe('logging in', () => {
  test('welcomes the user, and says goodbye at logout', { tag: '@main' }, async ({ page, administrator }) => {
    await page.goto('/auth');
    await expect(page.getByRole('tab', { name: 'Login' })).toHaveAttribute('aria-selected', 'true');
    await logIn(page, administrator.email);
    await expectToast(page, 'Welcome back!', `You're now signed in as ${administrator.email}.`);
    await expect(page.getByRole('heading', { name: `Welcome, ${administrator.email}` })).toBeVisible();
    await page.getByRole('button', { name: 'Logout' }).click();
    await expectToast(page, 'Logged out', "You've been signed out.");
    await expect(page).toHaveURL(/\/auth/);
  });

  test('leads back to the requested page', async ({ page, administrator }) => {
    await page.goto('/settings?tab=sessions');
    await expect(page).toHaveURL(/\/auth/);
    await logIn(page, administrator.email);
    await expect(page).toHaveURL('/settings?tab=sessions');
    await expect(page.getByRole('heading', { name: 'Active Sessions' })).toBeVisible();
  });

  test('never leads to another site', async ({ page, administrator }) => {
    await page.goto('/auth?redirect=//attacker.example');
    await logIn(page, administrator.email);
    await expect(page).toHaveURL('/');
  });
});

test('sends a signed-in user from the sign-in page to Home', async ({ page, signedIn }) => {
  await page.goto('/auth');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
});

test('gives visitors no page that requires an account', { tag: '@main' }, async ({ page }) => {
  for (const path of ['/', '/chat', '/chat/1', '/files', '/analytics', '/fine-tuning', '/settings', '/users']) {
    await page.goto(path);
    await expect(page.getByRole('button', { name: 'Login' }), path).toBeVisible();
    await expect(page, path).toHaveURL(/\/auth/);
  }
});

test('shows a 404 page for an unknown address', async ({ page }) => {
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: '404 - Page Not Found' })).toBeVisible();
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL('/auth');
});

test('leads to the sign-in page at the next action after a session ended elsewhere', async ({
  page,
  roster,
  elsewhere,
  signedIn,
}) => {
  await openAtRest(page, '/settings?tab=api-keys');
  await request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password });
  expect((await request(elsewhere, roster, 'DELETE', '/api/user/sessions')).status).toBe(204);

  await page.getByRole('tab', { name: 'Sessions' }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expectToast(page, 'Session ended', 'Please sign in again.');
  await logIn(page, signedIn.email);
  await expect(page).toHaveURL('/settings?tab=sessions');
});

test('leaves nothing of one user for the next in the same browser', { tag: '@main' }, async ({
  page,
  withAssistant,
}) => {
  await page.goto('/');
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await page.goto('/chat');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Nobody else is to read this');
  await expect(page.getByRole('button', { name: 'Tutor' }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expectToast(page, 'Logged out', "You've been signed out.");
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  expect(kept).not.toContain('Nobody else');

  await register(page, newEmail());
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await expect(page.getByText('You have no assistants.')).toBeVisible();
  await expect(message).toHaveValue('');
});
