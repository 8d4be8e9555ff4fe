import type { Page } from '@playwright/test';
import { authenticatorApp } from '../server/src/testing/authenticator-app.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, password, request, test, untilUsable } from './fixtures.ts';
import type { Roster } from './roster.ts';

const card = (page: Page) => page.locator('section').filter({ hasText: 'Second Factor' });

/** Sets up an app in Settings; the key is read as a person would type it. */
async function turnOn(page: Page) {
  await page.goto('/settings?tab=account');
  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
  const app = authenticatorApp(secret);
  await dialog.getByLabel('Code from the app').fill(app.next());
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Turn On' }).click();
  const shown = page.getByRole('dialog', { name: 'Save your recovery codes' });
  const listed = shown.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(listed).toHaveCount(10);
  const codes = await listed.allInnerTexts();
  await expectNoSidewaysScroll(page);
  const download = page.waitForEvent('download');
  await shown.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('roster-recovery-codes.txt');
  await shown.getByRole('button', { name: 'I have saved them' }).click();
  await expect(shown).toBeHidden();
  await expect(card(page).getByText('10 codes left')).toBeVisible();
  return { app, codes };
}

async function firstStep(page: Page, email: string, path = '/auth') {
  await page.goto(path);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible();
}

const signOut = (page: Page, roster: Roster) => request(page, roster, 'POST', '/api/logout');

test('turns an authenticator app on and signs in with its code', { tag: '@main' }, async ({
  page,
  roster,
  signedIn,
}) => {
  const { app } = await turnOn(page);
  await signOut(page, roster);
  await firstStep(page, signedIn.email, '/auth?redirect=%2Ffiles');
  await expectAccessible(page);
  const code = page.getByLabel('Code', { exact: true });
  await expect(code).toBeFocused();
  await code.fill('1234567');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect(page.getByText('The code is wrong or has already been used. Try the next one.')).toBeVisible();
  await code.fill(app.next());
  await code.press('Enter');
  await expect(page).toHaveURL('/files');
});

test('asks no code in a remembered browser, until it signs out', async ({ page, elsewhere, roster, signedIn }) => {
  const { app } = await turnOn(page);
  await firstStep(elsewhere, signedIn.email);
  await elsewhere.getByLabel('Remember this device for 30 days').check();
  await elsewhere.getByLabel('Code', { exact: true }).fill(app.next());
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  await expect(elsewhere.getByText('Your AI Assistant Dashboard')).toBeVisible();
  const signIn = () =>
    request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password }).then(({ status }) => status);
  expect(await signIn()).toBe(200);
  await signOut(elsewhere, roster);
  expect(await signIn()).toBe(401);
});

test('removes the app', async ({ page, signedIn, elsewhere, roster }) => {
  await turnOn(page);
  await page.getByRole('button', { name: 'Remove authenticator app' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('button', { name: 'Set up authenticator app' })).toBeVisible();
  const login = await request(elsewhere, roster, 'POST', '/api/login', { email: signedIn.email, password });
  expect(login.status).toBe(200);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('turns the app on and signs in with a recovery code', async ({ page, roster, signedIn }) => {
    const { codes } = await turnOn(page);
    await signOut(page, roster);
    await firstStep(page, signedIn.email);
    await page.getByRole('button', { name: 'Use a recovery code' }).tap();
    await page.getByLabel('Recovery code').fill(codes[3] ?? '');
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Login' }).tap();
    await expect(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
    await page.goto('/settings?tab=account');
    await expect(card(page).getByText('9 codes left')).toBeVisible();
  });
});

test('shows only the set-up when an administrator requires a second factor', async ({ page, ownRoster }) => {
  const call = (method: string, path: string, data: unknown) => request(page, ownRoster, method, path, data);
  await call('POST', '/api/register', { email: 'ada@example.com', password });
  await page.goto(`${ownRoster.url}/users?tab=second-factor`);
  await page.getByText('Everybody', { exact: true }).click();
  await page.getByLabel('Grace period (days)').fill('0');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code from the app').fill(authenticatorApp(secret).next());
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Turn On' }).click();
  await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await untilUsable(page);
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible();
});
