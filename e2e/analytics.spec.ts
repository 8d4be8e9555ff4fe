import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  request,
  test,
  toasts,
  untilUsable,
} from './fixtures.ts';
import type { Roster } from './roster.ts';

const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const today = () => new Date().toISOString().slice(0, 10);
const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
const count = (value: number) => value.toLocaleString('en-US');

async function analytics(page: Page, roster: Roster) {
  const query = `from=${dayBefore(today(), 29)}&to=${today()}&tz=UTC`;
  const { status, body } = await request(page, roster, 'GET', `/api/analytics?${query}`);
  expect(status).toBe(200);
  return body;
}

/** A model without a price, and a thread with it. */
async function unpricedThread(page: Page, roster: Roster) {
  const draft = { name: 'Local', model: 'chat-latest' };
  const { body } = await request(page, roster, 'POST', '/api/assistants', draft);
  return startThread(page, roster, { title: 'Without a price', assistantId: body.id });
}

test('shows the usage of chats to the digit, and leads back to the conversation', { tag: '@main' }, async ({
  page,
  roster,
  withAssistant,
}) => {
  const tides = await startThread(page, roster, { title: 'Tides', assistantId: withAssistant.assistantId });
  await exchange(page, roster, tides, 'One [[tokens 1234]] [[delay 0]]');
  await exchange(page, roster, tides, 'Two [[tokens 66]] [[delay 0]]');
  await exchange(page, roster, await startThread(page, roster, { title: 'Plain' }), 'Three [[tokens 700]] [[delay 0]]');
  // The simulator was asked for 1234 + 66 + 700 tokens and counted them.
  await expect.poll(async () => (await analytics(page, roster)).totals.outputTokens).toBe(2000);
  const { totals, byModel } = await analytics(page, roster);
  expect([totals.requests, byModel.length, byModel[0].model]).toEqual([3, 1, 'gpt-4o']);
  const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });
  expect(totals.costUsd).toBeGreaterThan(0.02);
  expect(totals.costUsd).toBeLessThan(0.1);

  await page.goto('/analytics');
  await untilUsable(page);
  await expect(page.getByText('All costs are estimates')).toBeVisible();
  await expect(card(page, 'Cost Overview')).toContainText(dollars.format(totals.costUsd));
  await expect(card(page, 'Cost Overview')).toContainText('No earlier data');
  await expect(card(page, 'Usage Statistics')).toContainText('3 requests');
  await expect(card(page, 'Token Usage')).toContainText(`${count(totals.inputTokens + 2000)} tokens`);
  await expect(card(page, 'Token Usage')).toContainText(/Output\s*2,000/);
  await expect(card(page, 'Model Distribution')).toContainText('100%');
  await expect(card(page, 'Model Distribution')).toContainText(
    `3 requests · ${count(totals.inputTokens)} in · 2,000 out`,
  );
  await expect(card(page, 'Cost by Model')).toContainText(`${dollars.format(totals.costUsd / 3)} a request`);
  await expect(card(page, 'Cost by Assistant').getByRole('listitem')).toHaveCount(2);
  const rows = card(page, 'Recent Requests').getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText('700');
  await expect(rows.nth(1)).toContainText('Plain');

  await card(page, 'Cost by Assistant').getByRole('button', { name: 'Tutor' }).click();
  const panel = page.getByRole('dialog', { name: 'Requests of Tutor' });
  await expect(panel.getByRole('listitem')).toHaveCount(2);
  await expect(panel).toContainText('1,234 out');
  await panel.getByRole('link', { name: 'Tides' }).first().click();
  await expect(page).toHaveURL(`/chat/${tides}`);
  await expect(conversation(page).answers).toHaveCount(2);

  // Another answer counts at once.
  await conversation(page).ask('Four [[tokens 50]] [[delay 0]]');
  await conversation(page).untilDone();
  await page.getByRole('link', { name: 'Analytics' }).first().click();
  await expect(card(page, 'Usage Statistics')).toContainText('4 requests');

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`usage-${dayBefore(today(), 29)}-to-${today()}.csv`);
  const csv = await readFile(await file.path(), 'utf8');
  expect(csv.startsWith('\uFEFFSection,From,To')).toBe(true);
  const lines = csv.split('\r\n');
  const sections = lines.map((line) => line.replace('\uFEFF', '').split(',')[0]);
  expect(sections.filter((section) => section === 'Day')).toHaveLength(30);
  expect(sections.filter((section) => section === 'Request')).toHaveLength(4);
  const now = await analytics(page, roster);
  const figures = [now.totals.requests, now.totals.inputTokens, now.totals.cachedTokens, 2050].join(',');
  expect(lines[1]).toContain(`,${figures},`);
});

test('warns about a budget, then stops, and sends a message when its sender insists', async ({
  page,
  roster,
  withAssistant,
}) => {
  const { assistantId } = withAssistant;
  const earlier = await startThread(page, roster, { title: 'Earlier', assistantId });
  await exchange(page, roster, earlier, 'First [[tokens 4000]] [[delay 0]]');
  const id = await startThread(page, roster, { title: 'Thrift', assistantId });
  const { costUsd } = (await analytics(page, roster)).totals;
  await page.goto('/analytics?tab=budgets');
  const budgets = card(page, 'Budgets');
  await budgets.getByRole('button', { name: 'Add budget' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add budget' });
  await dialog.getByRole('button', { name: 'Save budget' }).click();
  await expect(dialog.getByText('Enter an amount such as 20')).toBeVisible();
  await dialog.getByLabel('Monthly amount').fill(String(costUsd * 1.02));
  await dialog.getByLabel('Warn at').fill('50');
  await dialog.getByRole('switch', { name: 'Hard stop' }).check();
  await dialog.getByRole('button', { name: 'Save budget' }).click();
  await expectToast(page, 'Budget saved', 'a month for all requests.');
  await expect(budgets).toContainText('Warning');
  await expect(budgets).toContainText('98%');

  await page.goto(`/chat/${id}`);
  const { ask, answers, message, untilDone } = conversation(page);
  await expect(page.getByText('98% of this month’s budget is used')).toBeVisible();
  await ask('Second [[tokens 200]] [[delay 0]]');
  await untilDone();
  await expect(answers).toHaveCount(1);
  await expect(page.getByText('This month’s budget is used up')).toBeVisible();

  await message.fill('Third [[tokens 20]] [[delay 0]]');
  await message.press('Enter');
  await expect(page.getByText('Your budget is used up', { exact: true })).toBeVisible();
  await expect(page.getByText('so far. Raise it in Analytics, or send this one anyway.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open Analytics' })).toBeVisible();
  await expect(message).toHaveValue('Third [[tokens 20]] [[delay 0]]');
  await expect(answers).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(answers).toHaveCount(2);
  await expect(page.getByText('Your budget is used up', { exact: true })).toBeHidden();

  await answers.last().getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await expect(answers.last().getByText('2/2')).toBeVisible();
  await untilDone();
  await expect(toasts(page).filter({ hasText: 'Failed to start a new answer' })).toHaveCount(0);

  // The same in a new conversation.
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await message.fill('Anew [[tokens 20]] [[delay 0]]');
  await message.press('Enter');
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await untilDone();
  await expect(answers).toHaveCount(1);

  await page.goto('/analytics?tab=budgets');
  await expect(budgets).toContainText('Exceeded');
  await budgets.getByRole('button', { name: 'Change budget for all requests' }).click();
  const change = page.getByRole('dialog', { name: 'Change budget' });
  await expect(change.getByRole('switch', { name: 'Hard stop' })).toBeChecked();
  await change.getByLabel('Monthly amount').fill('50');
  await change.getByRole('button', { name: 'Save budget' }).click();
  await expect(budgets).toContainText('Within budget');
  await budgets.getByRole('button', { name: 'Remove budget for all requests' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(budgets).toContainText('No budgets yet.');
});

test('fits phones and satisfies axe in both themes when in use', async ({ page, roster, withAssistant }) => {
  await followDevice(page);
  const id = await startThread(page, roster, { title: 't'.repeat(200), assistantId: withAssistant.assistantId });
  await exchange(page, roster, id, 'One [[tokens 100]] [[delay 0]]');
  await exchange(page, roster, await unpricedThread(page, roster), 'Two [[delay 0]]');
  await request(page, roster, 'POST', '/api/analytics/budgets', { assistantId: null, amountUsd: 5 });
  await page.goto('/analytics?tab=budgets');
  await expect(card(page, 'Budgets')).toContainText('Within budget');
  await expectAccessibleInBothThemes(page);
  for (const tab of ['requests', 'tools', 'tokens']) {
    await page.goto(`/analytics?tab=${tab}&range=this-month`);
    await expect(page.getByRole('tabpanel').getByRole('region').first()).not.toHaveAttribute('aria-busy', 'true');
    await expectAccessibleInBothThemes(page);
  }
  await page.goto('/analytics?range=90');
  await expect(card(page, 'Recent Requests').getByRole('row')).toHaveCount(3);
  await expectAccessibleInBothThemes(page);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(card(page, 'Recent Requests').getByRole('listitem')).toHaveCount(2);
    await expectNoSidewaysScroll(page);
  }
  await expectAccessibleInBothThemes(page);
  await card(page, 'Cost by Model').getByRole('button', { name: 'chat-latest: show requests' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(1);
  await expectAccessibleInBothThemes(page);
  await expectNoSidewaysScroll(page);
});
