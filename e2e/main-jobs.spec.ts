import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, goodKey, request, test } from './fixtures.ts';
import { presses } from './presses.ts';

const saveKey = (page: Page, roster: Parameters<typeof request>[1]) =>
  request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });

test('leads from the key to three answers in four presses', async ({ page, signedIn: _ }) => {
  const { press, expectPresses } = presses();
  await page.goto('/');
  await press(page.getByRole('link', { name: 'Add API key' }));
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await press(page.getByRole('button', { name: 'Save API Key' }));
  await press(page.getByRole('link', { name: 'Ask three models at once' }));
  await press(page.getByRole('list', { name: 'Conversation starters' }).getByRole('button').first());
  const columns = page.getByRole('article', { name: /^Answer of / });
  await expect(columns).toHaveCount(3);
  await expect(columns.getByText('Complete')).toHaveCount(3);
  expectPresses(4);
  const best = columns.first();
  await best.getByRole('button', { name: /^Continue with this answer/ }).click();
  await expect(columns).toHaveCount(0);
  await conversation(page).ask('And now?');
  await conversation(page).untilDone();

  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeHidden();
  await expect(page.getByRole('region', { name: 'Recent conversations' })).toBeVisible();
});

test('creates a token with its code in two presses', async ({ page, roster, signedIn: _ }) => {
  await saveKey(page, roster);
  const { press, expectPresses } = presses();
  await page.goto('/');
  await press(page.getByRole('link', { name: 'Connect', exact: true }));
  await press(page.getByRole('button', { name: 'Create token' }));
  const code = page.getByRole('region', { name: 'Environment variables' }).locator('pre code');
  await expect(code).toHaveText(/OPENAI_API_KEY=rst_[0-9A-Za-z]{38}/);
  expectPresses(2);
  const [token = ''] = /rst_[0-9A-Za-z]{38}/.exec((await code.textContent()) ?? '') ?? [];
  const called = await fetch(`${roster.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  expect(called.status).toBe(200);
});
