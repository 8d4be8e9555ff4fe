import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectNoSidewaysScroll, request, test } from './fixtures.ts';

/** A device with a passkey store, which agrees to everything; WebAuthn's virtual authenticator. */
async function addAuthenticator(page: Page) {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

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
  // A browser without suggestions in the field: the device would take the first one by itself.
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  await addAuthenticator(page);
  await addPasskey(page);
  await expectNoSidewaysScroll(page);
  await request(page, roster, 'POST', '/api/logout');
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByText(`You're now signed in as ${signedIn.email}.`, { exact: true })).toBeVisible();
});

test('signs in with a passkey that the browser suggests in the email field', async ({ page, roster, signedIn }) => {
  await addAuthenticator(page);
  await addPasskey(page);
  await request(page, roster, 'POST', '/api/logout');
  await page.goto('/auth');
  await expect(page.getByText(`You're now signed in as ${signedIn.email}.`, { exact: true })).toBeVisible();
});
