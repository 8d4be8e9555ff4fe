import type { Page } from '@playwright/test';
import { exchange, startThread } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, expectToast, goodKey, request, test } from './fixtures.ts';
import type { Roster } from './roster.ts';

let keys = 0;
/** A separate key, so that the provider can misbehave for it alone. */
const newAdminKey = () => `sk-admin-${'simulated'.repeat(4)}${process.pid}x${++keys}`;

const card = (page: Page) => page.getByRole('region', { name: 'Provider’s own figures', exact: true });
const cell = (page: Page, row: string, column: number) =>
  card(page).getByRole('row').filter({ hasText: row }).first().getByRole('cell').nth(column);

async function enter(page: Page, key: string) {
  const dialog = page.getByRole('dialog');
  await dialog.getByPlaceholder('sk-admin-…').fill(key);
  await dialog.getByRole('button', { name: 'Save admin key' }).click();
}

async function withAdminKey(page: Page, roster: Roster) {
  const adminKey = newAdminKey();
  const { status } = await request(page, roster, 'POST', '/api/settings/admin-key', { adminKey });
  expect(status).toBe(200);
  return adminKey;
}

test('shows the provider’s figures next to Roster’s with an admin key, with the difference', async ({
  page,
  ownRoster,
}) => {
  const { url } = ownRoster;
  await request(page, ownRoster, 'POST', '/api/register', {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  await request(page, ownRoster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await exchange(page, ownRoster, await startThread(page, ownRoster, { title: 'Own' }), '[[tokens 1000]] [[delay 0]]');

  await page.goto(`${url}/analytics?tab=provider`);
  await expect(card(page)).toContainText('Add an organization admin key to compare with OpenAI’s own figures.');
  await card(page).getByRole('button', { name: 'Add admin key' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('It covers the whole organization, not only requests through Roster.');
  await expect(dialog).toContainText('uses it only to read usage and costs');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save admin key' }).click();
  await expect(dialog).toContainText('Admin key is required');
  await expect(dialog.getByPlaceholder('sk-admin-…')).toBeFocused();

  // The error for an ordinary key says where it belongs.
  await enter(page, goodKey);
  await expect(dialog.getByRole('alert')).toContainText('The key for chatting belongs in Settings, under API Keys');
  await enter(page, newAdminKey());
  await expectToast(page, 'Admin key saved', 'OpenAI accepted it.');
  await expect(dialog).toBeHidden();

  for (const column of [0, 1]) await expect(cell(page, 'Requests', column)).toHaveText('1');
  await expect(cell(page, 'Output tokens', 0)).toHaveText('1,000');
  for (const row of ['Cost', 'Requests', 'Input tokens', 'Output tokens'])
    await expect(cell(page, row, 2)).toHaveText('none');

  // Another client of the organization uses it too; a new key reloads the figures.
  await fetch(`${ownRoster.providerUrl}/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-another-program', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', input: '[[tokens 2000]] [[delay 0]]' }),
  });
  await card(page).getByRole('button', { name: 'Replace admin key' }).click();
  await enter(page, newAdminKey());
  await expect(cell(page, 'Requests', 2)).toHaveText('+1');
  await expect(cell(page, 'Output tokens', 2)).toHaveText('+2,000');
  await expect(cell(page, 'Cost', 2)).toHaveText(/^\+\$0\.02/);
  await card(page).getByText('Show the cost by day').click();
  const days = card(page).getByRole('region', { name: /^Cost by day/ });
  await expect(days.getByRole('row').nth(1).getByRole('cell').nth(2)).toHaveText(/^\+\$0\.02/);
  await card(page).getByText('Show the requests by model').click();
  const models = card(page).getByRole('region', { name: /^Requests by model/ });
  await expect(models.getByRole('row').nth(1)).toHaveText(/gpt-4o\s*2\s*1\s*\+1/);
  await expectAccessible(page);

  await card(page).getByRole('button', { name: 'Remove admin key' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove admin key' }).click();
  await expectToast(page, 'Admin key removed', 'It is no longer stored here.');
  await expect(card(page).getByRole('button', { name: 'Add admin key' })).toBeVisible();
  await page.reload();
  await expect(card(page).getByRole('button', { name: 'Add admin key' })).toBeVisible();
  await page.goto(`${url}/settings?tab=account`);
  await expect(page.getByText('Admin key removed')).toBeVisible();
  await expect(page.getByText('Admin key saved').first()).toBeVisible();
});

test('quotes a failing provider and retries, and replaces a key it withdrew', async ({ page, roster, signedIn: _ }) => {
  const key = await withAdminKey(page, roster);
  await roster.fault(key, { status: 400, error: { message: 'Not on Sundays.' } }, 2);
  await page.goto('/analytics?tab=provider');
  await expect(card(page).getByRole('alert')).toContainText('The provider’s figures could not be read');
  await expect(card(page).getByRole('alert')).toContainText('Not on Sundays.');
  await expectAccessible(page);
  await card(page).getByRole('button', { name: 'Try Again' }).click();
  await expect(cell(page, 'Requests', 1)).toHaveText('0');

  await roster.fault(key, { fail: 'invalid_api_key' }, 2);
  await page.goto('/analytics?tab=provider&range=7');
  await expect(card(page).getByRole('alert')).toContainText('The admin key no longer works');
  await card(page).getByRole('button', { name: 'Replace admin key' }).first().click();
  await enter(page, newAdminKey());
  await expect(cell(page, 'Requests', 1)).toHaveText('0');
  await expect(card(page)).not.toContainText('does not work');
});

test('reports a provider without figures, and shows the rest without costs', async ({ page, roster, signedIn: _ }) => {
  const notThere = newAdminKey();
  await roster.fault(notThere, { status: 404, body: '{"detail":"Not Found"}' });
  await page.goto('/analytics?tab=provider');
  await card(page).getByRole('button', { name: 'Add admin key' }).click();
  await enter(page, notThere);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('OpenAI has no usage API at this base URL');
  await page.keyboard.press('Escape');

  const key = await withAdminKey(page, roster);
  await roster.fault(key, { fail: 'missing_scopes' }, 1, { path: '/organization/costs' });
  await page.reload();
  await expect(card(page)).toContainText('The provider’s costs could not be read.');
  await expect(cell(page, 'Cost', 0)).toHaveText('—');
  await expect(cell(page, 'Requests', 0)).toHaveText(/^\d/);
});

test('fits a phone', async ({ page, roster, signedIn: _ }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto('/analytics?tab=provider');
  await expect(card(page).getByRole('button', { name: 'Add admin key' })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await withAdminKey(page, roster);
  await page.reload();
  await expect(cell(page, 'Requests', 1)).toHaveText('0');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
