import type { Page } from '@playwright/test';
import { reserveOidcProvider } from '../server/src/testing/oidc-provider.ts';
import { expect, expectAccessible, test } from './fixtures.ts';
import { type Roster, startRoster } from './roster.ts';

const people = {
  olive: { email: 'olive@acme.example', email_verified: true, name: 'Olive', groups: ['roster-admins'] },
  peter: { email: 'peter@acme.example', email_verified: true, name: 'Peter', groups: ['staff'] },
};

// One installation without passwords, whose people come from one provider.
test.describe.configure({ mode: 'default' });

let provider: Awaited<ReturnType<typeof reserveOidcProvider>>;
let roster: Roster;
test.beforeAll(async () => {
  provider = await reserveOidcProvider(people);
  roster = await startRoster({
    env: { ...provider.env, OIDC_ADMIN_GROUP: 'roster-admins', PASSWORD_LOGIN: 'off' },
  });
  await provider.serve(roster.url);
});
test.afterAll(async () => {
  await roster?.[Symbol.asyncDispose]();
  await provider?.close();
});

async function logIn(page: Page, person: keyof typeof people) {
  await page.goto(`${roster.url}/auth`);
  await page.getByRole('link', { name: 'Acme Login' }).click();
  await page.getByPlaceholder('Enter any login').fill(person);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: `Welcome, ${people[person].name}` })).toBeVisible();
}

test('logs in and out at a provider with its own pages, without any password here', async ({ page }) => {
  await page.goto(`${roster.url}/auth`);
  await expect(page.getByRole('link', { name: 'Acme Login' })).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveCount(0);
  await expectAccessible(page);
  await logIn(page, 'olive');
  await page.goto(`${roster.url}/settings`);
  await expect(page.getByRole('listitem').filter({ hasText: 'Acme Login' }).first()).toContainText(
    'olive@acme.example',
  );
  await expect(page.getByText('Password set')).toHaveCount(0);
  await page.goto(`${roster.url}/users`);
  await page.getByRole('button', { name: 'Actions for olive@acme.example' }).click();
  await expect(page.getByRole('menuitem', { name: 'Reset Password' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Logout' }).click();
  // The provider asks once more on a page of its own.
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(page).toHaveURL(`${roster.url}/auth`);
  await page.getByRole('link', { name: 'Acme Login' }).click();
  await expect(page.getByPlaceholder('Enter any login')).toBeVisible();
});

test('comes back on a phone after somebody declines at the provider', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${roster.url}/auth`);
  await page.getByRole('link', { name: 'Acme Login' }).click();
  await page.getByRole('link', { name: /Cancel/ }).click();
  await expect(page).toHaveURL(/\/auth/);
  await expect(page.getByText(/cancelled/i).first()).toBeVisible();
  await logIn(page, 'peter');
});
