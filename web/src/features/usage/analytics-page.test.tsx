import { usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { fixtureDate, noFigures, noUsage } from '#web/testing/new-account.ts';
import { expectCount, expectText, press } from '#web/testing/page.ts';
import { requestOf } from '#web/testing/usage.ts';

const card = (title: string) => page.getByRole('region', { name: title, exact: true });
const bars = card('Cost by Day').getByRole('group').getByRole('button');

test('shows zeros, an empty chart and a next step to a new account', async () => {
  open('/analytics');
  await expectText(card('Cost Overview'), '$0.00');
  await expectText(card('Usage Statistics'), '0 requests');
  await expectText(card('Token Usage'), '0 tokens');
  await expectText(card('Cost by Day'), 'No requests in this period.');
  await expectCount(bars, 30);
  for (const title of ['Model Distribution', 'Cost by Model', 'Cost by Assistant'])
    await expectText(card(title), 'No requests in this period.');
  await expect.element(card('Recent Requests').getByRole('link', { name: 'Start a chat' })).toBeVisible();
  await expectText(card('Budgets'), 'No budgets yet.');
});

test('keeps the range in the address, and validates custom days', async () => {
  open('/analytics');
  await expect.element(page.getByRole('radio', { name: '30 days' })).toBeChecked();
  await page.getByText('7 days', { exact: true }).click();
  await expect.poll(address).toBe('/analytics?range=7');
  await expectCount(bars, 7);
  show('/analytics?range=7');
  await expect.element(page.getByRole('radio', { name: '7 days' })).toBeChecked();
  await expectCount(bars, 7);

  await page.getByText('Custom', { exact: true }).click();
  const [from, to] = [page.getByLabelText('From', { exact: true }), page.getByLabelText('To', { exact: true })];
  await from.fill('2026-03-05');
  await to.fill('2026-03-01');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.element(page.getByText('The end date must not be before the start date')).toBeVisible();
  await expect.element(to).toHaveFocus();
  await from.fill('2024-03-05');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.element(page.getByText('Choose at most 366 days; this period has 727')).toBeVisible();
  await expect.element(from).toHaveFocus();
  await from.fill('2026-02-20');
  await to.fill('2026-03-01');
  await press('Enter');
  await expect.poll(address).toBe('/analytics?from=2026-02-20&to=2026-03-01');
  await expectCount(bars, 10);
  await expect.element(page.getByText('February 20 – March 1, 2026')).toBeVisible();
  show(address());
  await expectCount(bars, 10);
  show('/analytics?from=2026-02-20&to=2026-01-01');
  await expect.element(page.getByText('The end date must not be before the start date')).toBeVisible();
});

test('makes the chart one tab stop with arrow keys, and adds a table', async () => {
  const used = { ...noFigures, requests: 1, inputTokens: 20, outputTokens: 100, costUsd: 0.0111 };
  open('/analytics?range=7', {
    answers() {
      answer(usage.analytics, ({ query }) => {
        const none = noUsage(query);
        const byDay = none.byDay.map((day, index) => (index === 6 ? { ...used, day: day.day } : day));
        return { ...none, totals: used, byDay };
      });
      answer(usage.requests, { items: [requestOf({})], nextCursor: null });
    },
  });
  const chart = card('Cost by Day');
  await expectCount(bars, 7);
  await expect.element(bars.last()).toHaveAccessibleName(/, today: \$0\.0\d+, 1 request, \d+ tokens$/);
  const table = chart.getByText('Show as a table').element();
  if (table instanceof HTMLElement) table.focus();
  await press('Shift+Tab');
  await expect.element(bars.last()).toHaveFocus();
  await press('ArrowLeft');
  await expect.element(bars.nth(5)).toHaveFocus();
  await expectText(chart, '0 requests, 0 tokens');
  await press('Home');
  await expect.element(bars.first()).toHaveFocus();
  await press('Shift+Tab');
  expect(bars.elements()).not.toContain(document.activeElement);
  await press('Tab');
  await expect.element(bars.first()).toHaveFocus();
  await press('End');
  await press('Enter');
  const panel = page.getByRole('dialog', { name: 'Requests' });
  await expect.element(panel.getByRole('link', { name: 'Keys' })).toBeVisible();
  await press('Escape');
  await expect.element(bars.last()).toHaveFocus();
  await press('Tab');
  await press('Enter');
  await expectCount(chart.getByRole('row'), 8);
  await expectText(chart.getByRole('row').nth(1), '100');
});

test('shows that loading failed, and retries', async () => {
  open('/analytics', {
    answers() {
      answer(usage.analytics, refusal('unavailable', 'The database is busy.'));
      answer(usage.budgets, refusal('unavailable', 'The database is busy.'));
    },
  });
  await expect.element(page.getByText('Failed to load usage and costs')).toBeVisible();
  await expect.element(page.getByText('The database is busy.').first()).toBeVisible();
  answer(usage.analytics, ({ query }) => noUsage(query));
  answer(usage.budgets, []);
  await page.getByRole('button', { name: 'Try Again' }).first().click();
  await expectText(card('Cost Overview'), '$0.00');
});

test('follows the range of the page for provider figures, up to 180 days', async () => {
  const figures = card('Provider’s own figures');
  const none = { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  open('/analytics?from=2026-02-20&to=2026-03-01', {
    answers() {
      answer(usage.adminKey, { hasAdminKey: true, last4: '4321', addedAt: fixtureDate, notice: null });
      answer(usage.providerFigures, ({ query: { from, to } }) => ({
        from,
        to,
        provider: none,
        roster: { ...none, unpricedRequests: 0 },
        byDay: [],
        byModel: [],
        notice: null,
        readAt: fixtureDate,
      }));
    },
  });
  await expectText(figures, 'No requests in this period');
  expect(requestsTo(usage.providerFigures)).toMatchObject([{ query: { from: '2026-02-20', to: '2026-03-01' } }]);
  show('/analytics?from=2026-01-01&to=2026-07-31');
  await expectText(figures, 'OpenAI answers for at most 180 days at a time. Choose a shorter period to compare.');
  expect(requestsTo(usage.providerFigures)).toHaveLength(1);
});
