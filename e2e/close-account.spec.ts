import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectToast, password, request, test } from './fixtures.ts';
import type { Roster } from './roster.ts';

let keys = 0;

/** Two files that have reached the provider under a key that no other test uses. */
async function withFilesAtProvider(page: Page, roster: Roster) {
  const apiKey = `sk-${'simulated'.repeat(4)}closing${process.pid}x${++keys}`;
  expect((await request(page, roster, 'POST', '/api/settings/apikey', { apiKey })).status).toBe(200);
  for (const name of ['tides.txt', 'moon.txt']) {
    const answer = await page.request.post(`${roster.url}/api/files/upload`, {
      headers: { origin: roster.url },
      multipart: { purpose: 'assistants', file: { name, mimeType: 'text/plain', buffer: Buffer.from(name) } },
    });
    expect(answer.status()).toBe(201);
  }
  const states = async () => {
    const { body } = await request(page, roster, 'GET', '/api/files');
    return body.map(({ provider }: { provider: { state: string } }) => provider.state);
  };
  await expect.poll(states).toEqual(['ready', 'ready']);
  return apiKey;
}

/** The names of the files at the provider. */
async function atProvider(roster: Roster, apiKey: string): Promise<string[]> {
  const answer = await fetch(`${roster.providerUrl}/files`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data }: { data: { filename: string }[] } = await answer.json();
  return data.map(({ filename }) => filename).sort();
}

async function askToClose(page: Page) {
  await page.goto('/settings?tab=account');
  await page.getByRole('button', { name: 'Close account' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Close account' });
  await expect(dialog).toContainText('There are 2: moon.txt, tides.txt.');
  await dialog.getByLabel('Also delete my files at OpenAI').check();
  await dialog.locator('input[autocomplete="current-password"]').fill(password);
  return dialog;
}

test('deletes the files at the provider with the account if asked', async ({ page, roster, signedIn: _ }) => {
  const apiKey = await withFilesAtProvider(page, roster);
  expect(await atProvider(roster, apiKey)).toEqual(['moon.txt', 'tides.txt']);
  const dialog = await askToClose(page);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close account' }).click();
  await expectToast(page, 'Account closed', 'Your account and everything in it has been removed.');
  await expect(page).toHaveURL('/auth');
  expect(await atProvider(roster, apiKey)).toEqual([]);
});

test('keeps the account while the provider is down, and can close it without the provider', async ({
  page,
  roster,
  signedIn,
}) => {
  const apiKey = await withFilesAtProvider(page, roster);
  // Other calls about files must not use up the failures.
  const removing = { path: '/files/*', method: 'DELETE' };
  await roster.fault(apiKey, { status: 400, error: { message: 'Not now.' } }, 2, removing);
  const dialog = await askToClose(page);
  await dialog.getByRole('button', { name: 'Close account' }).click();
  await expectToast(page, 'Failed to close account', '2 files are still at the provider and could not be removed.');
  await expect(dialog).toBeVisible();
  expect((await request(page, roster, 'GET', '/api/user')).body.email).toBe(signedIn.email);
  await dialog.getByLabel('Also delete my files at OpenAI').uncheck();
  await dialog.getByRole('button', { name: 'Close account' }).click();
  await expectToast(page, 'Account closed', 'Your account and everything in it has been removed.');
  await expect(page).toHaveURL('/auth');
});
