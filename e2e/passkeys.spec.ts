import type { Page } from '@playwright/test';
import { test as base, expect, expectAccessible, expectNoSidewaysScroll, password, request } from './fixtures.ts';

/** A device with a passkey store, which agrees to everything; WebAuthn’s virtual authenticator. */
const test = base.extend<{ authenticator: undefined }>({
  authenticator: [
    async ({ page }, use) => {
      const device = await page.context().newCDPSession(page);
      await device.send('WebAuthn.enable');
      const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await use(undefined);
      await device.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await device.send('WebAuthn.disable');
    },
    { auto: true },
  ],
});

/** A browser that suggests no passkeys in a field: the device would take the first one by itself. */
const noSuggestions =
  'globalThis.PublicKeyCredential && (PublicKeyCredential.isConditionalMediationAvailable = async () => false)';

async function addPasskey(page: Page) {
  await page.goto('/settings?tab=account');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('My laptop');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add Passkey' }).click();
  await expect(page.getByText('Save your recovery codes')).toBeVisible();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await expect(page.getByText('My laptop', { exact: true })).toBeVisible();
}

test('adds a passkey, and signs in with it by a button on a phone', { tag: '@main' }, async ({
  page,
  roster,
  signedIn,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(noSuggestions);
  await addPasskey(page);
  await expectNoSidewaysScroll(page);
  await request(page, roster, 'POST', '/api/logout');
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByText(`You're now signed in as ${signedIn.email}.`, { exact: true })).toBeVisible();
});

test('signs in with a passkey that the browser suggests in the email field', async ({ page, roster, signedIn }) => {
  await addPasskey(page);
  await request(page, roster, 'POST', '/api/logout');
  await page.goto('/auth');
  await expect(page.getByText(`You're now signed in as ${signedIn.email}.`, { exact: true })).toBeVisible();
});

for (const { on, viewport } of [
  { on: 'a wide page', viewport: { width: 1440, height: 900 } },
  { on: 'a phone', viewport: { width: 390, height: 844 } },
])
  test.describe(`on ${on}`, () => {
    test.use({ viewport });

    test('is the second step after a password, confirms who it is, and is removed', async ({
      page,
      roster,
      signedIn,
    }) => {
      await page.addInitScript(noSuggestions);
      await addPasskey(page);
      await request(page, roster, 'POST', '/api/logout');
      await page.goto('/auth');
      await page.getByLabel('Email').fill(signedIn.email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Login' }).click();
      await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('button', { name: /passkey/ }).click();
      await expect(page.getByText(`You're now signed in as ${signedIn.email}.`, { exact: true })).toBeVisible();

      await page.goto('/settings?tab=account');
      // Ten minutes later.
      const json = { code: 'fresh_sign_in_required', message: 'Confirm it’s you.' };
      await page.route('**/api/user/passkeys/*', (route) => route.fulfill({ status: 403, json }), { times: 1 });
      const state = { isFresh: false, ways: ['passkey', 'code'] };
      await page.route('**/api/user/confirm', (route) => route.fulfill({ json: state }), { times: 1 });
      await page.getByRole('button', { name: 'Remove My laptop' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
      const again = page.getByRole('dialog', { name: 'Confirm it’s you' });
      await expectAccessible(page);
      await again.getByRole('button', { name: 'Use a passkey' }).click();
      await expect(again).toBeHidden();
      await expect(page.getByText('No passkey yet')).toBeVisible();
    });

    test('accepts an invitation', async ({ page, ownRoster }) => {
      await request(page, ownRoster, 'POST', '/api/register', { email: 'ada@example.com', password });
      const invitation = { email: 'grace@example.com', role: 'Editor' };
      const { body } = await request(page, ownRoster, 'POST', '/api/admin/invitations', invitation);
      await request(page, ownRoster, 'POST', '/api/logout');
      await page.addInitScript(noSuggestions);
      await page.goto(body.link);
      await page.getByLabel('Name').fill('Grace Hopper');
      await page.getByRole('button', { name: 'Use a Passkey Instead' }).click();
      await expect(page.getByRole('heading', { name: 'Add your passkey' })).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('button', { name: 'Add Passkey' }).click();
      await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: 'I have saved them' }).click();
      await expect(page.getByRole('heading', { name: 'Welcome, Grace Hopper' })).toBeVisible();
      await request(page, ownRoster, 'POST', '/api/logout');
      await page.goto(`${ownRoster.url}/auth`);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await expect(page.getByText("You're now signed in as grace@example.com.", { exact: true })).toBeVisible();
    });

    test('is set up where a second factor is required', async ({ page, ownRoster }) => {
      const call = (method: string, path: string, data: unknown) => request(page, ownRoster, method, path, data);
      await call('POST', '/api/register', { email: 'ada@example.com', password });
      const policy = { requiredOf: 'everybody', graceDays: 0 };
      expect((await call('PATCH', '/api/admin/second-factor', policy)).status).toBe(204);
      await page.goto(ownRoster.url);
      await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('button', { name: 'Use a Passkey' }).click();
      await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
      await page.getByRole('button', { name: 'I have saved them' }).click();
      await expect(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
    });
  });
