import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectToast, request, test } from './fixtures.ts';

const tab = '/settings?tab=api-keys';
const card = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Access Tokens' }) });
const rows = (page: Page) => page.getByRole('list', { name: 'Access tokens' }).getByRole('listitem');

const models = (url: string, token: string) =>
  fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });

test('creates a token that is shown once, used by a client, and revoked', { tag: '@main' }, async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  await page.goto(tab);
  await expect(card(page)).toContainText('No access tokens yet.');
  await card(page).getByRole('button', { name: 'New Token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New Access Token' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await expectAccessible(page);
  // By keyboard: the name has the focus, and Enter submits.
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('Name is required')).toBeVisible();
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Nightly report');
  await dialog.getByLabel('Monthly budget (USD)').fill('2.50');
  await dialog.getByLabel('Expires').selectOption('In 30 days');
  await page.keyboard.press('Enter');

  const created = page.getByRole('dialog', { name: 'Access Token Created' });
  const token = await created.getByLabel('Token', { exact: true }).inputValue();
  expect(token).toMatch(/^rst_[0-9A-Za-z]{38}$/);
  await expect(created.getByLabel('Base URL')).toHaveValue(`${roster.url}/v1`);
  await expectAccessible(page);
  // A secret that is shown only once is not dismissed by accident.
  await page.keyboard.press('Escape');
  await expect(created).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await created.getByRole('button', { name: 'Copy' }).first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
  await created.getByRole('button', { name: 'Done' }).click();

  await expect(rows(page)).toHaveCount(1);
  const row = rows(page).first();
  await expect(row).toContainText('Nightly report');
  await expect(row).toContainText(`…${token.slice(-4)}`);
  await expect(row).toContainText('Chat');
  await expect(row).toContainText('Never used');
  await expect(row).toContainText('$0.00 of $2.50 this month');
  const { data } = await (await models(roster.url, token)).json();
  expect(data.map(({ id }: { id: string }) => id)).toContain('Tutor@roster');
  await page.reload();
  await expect(row).toContainText(/Last used just now from (127\.0\.0\.1|::1)/);
  expect(await page.content()).not.toContain(token);
  await expectAccessible(page);

  await row.getByRole('button', { name: 'Revoke Nightly report' }).click();
  const question = page.getByRole('alertdialog', { name: 'Revoke “Nightly report”?' });
  await question.getByRole('button', { name: 'Revoke Token' }).click();
  await expectToast(page, 'Access token revoked', '“Nightly report” can no longer be used.');
  await expect(card(page)).toContainText('No access tokens yet.');
  expect((await models(roster.url, token)).status).toBe(401);
  await page.goto('/settings');
  await expect(page.getByText(`Access token revoked: Nightly report (…${token.slice(-4)})`)).toBeVisible();
});

test('fits tokens on a phone, and keeps a rejected token in its dialog', async ({ page, roster, signedIn }) => {
  expect(signedIn.email).toMatch(/@/);
  await page.setViewportSize({ width: 390, height: 844 });
  const name = `A program with a long name ${'x'.repeat(33)}`;
  await request(page, roster, 'POST', '/api/access-tokens', {
    name,
    rights: ['chat', 'assistants', 'files'],
    expiresInDays: null,
    monthlyBudgetUsd: 20,
  });
  await page.goto(tab);
  await expect(rows(page)).toContainText(name);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
  await page.route('**/api/access-tokens', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await card(page).getByRole('button', { name: 'New Token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New Access Token' });
  await dialog.getByLabel('Name').fill('Another');
  await dialog.getByLabel('Chat').uncheck();
  await dialog.getByRole('button', { name: 'Create Token' }).click();
  await expect(dialog.getByText('Choose at least one permission')).toBeVisible();
  await dialog.getByLabel('Chat').check();
  await dialog.getByRole('button', { name: 'Create Token' }).click();
  await expect(dialog.getByText('Failed to create the access token')).toBeVisible();
  await expect(dialog.getByLabel('Name')).toHaveValue('Another');
});
