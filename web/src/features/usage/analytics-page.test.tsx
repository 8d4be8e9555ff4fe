import { usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { dayIn, localZone } from '#web/lib/text/day.ts';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, goBack, open, show } from '#web/testing/app.tsx';
import { fixtureDate, noFigures, noUsage } from '#web/testing/new-account.ts';
import { expectCount, expectText, press } from '#web/testing/page.ts';
import { requestOf } from '#web/testing/usage.ts';
import { daysBetween, presetRange } from './shared/range.ts';

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
  await page.getByRole('tab', { name: 'Budgets' }).click();
  await expectText(card('Budgets'), 'No budgets yet.');
});

test('keeps the tab in the address with the range, for keyboard and Back', async () => {
  open('/analytics');
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await expect.element(tab('Overview')).toHaveAttribute('aria-selected', 'true');
  await page.getByText('This month', { exact: true }).click();
  await expect.poll(address).toBe('/analytics?range=this-month');
  await tab('Overview').click();
  await press('ArrowRight');
  await expect.element(tab('Requests')).toHaveFocus();
  await expect.poll(address).toBe('/analytics?tab=requests&range=this-month');
  await expectText(card('Requests'), 'No requests in this period.');
  await tab('Tools').click();
  await expectText(card('Tools'), 'No built-in tools were used in this period.');
  await tab('Tokens').click();
  await expectText(card('Token Usage'), '0 tokens');
  await expectText(card('Tokens by Day'), 'No tokens were used in this period.');
  await page.getByText('Last month', { exact: true }).click();
  await expect.poll(address).toBe('/analytics?tab=tokens&range=last-month');
  await tab('Provider').click();
  await expectText(card('Provider’s own figures'), 'Add an organization admin key');
  goBack();
  await expect.element(tab('Tokens')).toHaveAttribute('aria-selected', 'true');
  goBack();
  await expect.poll(address).toBe('/analytics?tab=tokens&range=this-month');
  await tab('Overview').click();
  await expect.poll(address).toBe('/analytics?range=this-month');
});

test('asks for the calendar month in the user’s time zone', async () => {
  open('/analytics?range=last-month');
  const today = dayIn(localZone(), new Date());
  const range = presetRange('last-month', today);
  await expectCount(bars, daysBetween(range));
  expect(requestsTo(usage.analytics).at(-1)).toMatchObject({ query: { ...range, tz: localZone() } });
});

test('lists every request in pages, and fine-tuning jobs apart from them', async () => {
  const job = requestOf({ id: 9, purpose: 'training', thread: null, jobId: 4, inputTokens: 12_000, outputTokens: 0 });
  open('/analytics?tab=requests', {
    answers() {
      answer(usage.requests, ({ query }) => {
        if (query.purpose === 'training') return { items: [job], nextCursor: null };
        return query.cursor
          ? { items: [requestOf({ id: 1, thread: { id: 1, title: 'Oldest' } })], nextCursor: null }
          : { items: [requestOf({ id: 2 })], nextCursor: 'next' };
      });
    },
  });
  const rows = card('Requests').getByRole('row');
  await expectCount(rows, 2);
  await card('Requests').getByRole('button', { name: 'Load more requests' }).click();
  await expectCount(rows, 3);
  await expectText(rows.nth(2), 'Oldest');
  await expectText(card('Training').getByRole('listitem'), /12,000 tokens trained.*Open job/);
  await expect.element(card('Requests').getByRole('link', { name: 'Open job' })).not.toBeInTheDocument();
});

test('shows tokens by model, most first', async () => {
  const used = { ...noFigures, requests: 2, inputTokens: 40, outputTokens: 2000, costUsd: 0.2 };
  open('/analytics?tab=tokens', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        totals: used,
        byModel: [
          { ...used, model: 'gpt-4o', family: null, outputTokens: 100 },
          { ...used, model: 'gpt-4o-mini', family: null, cachedTokens: 8 },
        ],
      }));
    },
  });
  const rows = card('Tokens by Model').getByRole('row');
  await expectText(rows.nth(1), /gpt-4o-mini\s*2,040\s*40\s*8\s*2,000\s*0\s*2/);
  await card('Tokens by Model').getByRole('button', { name: 'gpt-4o: show requests' }).click();
  await expect.element(page.getByRole('dialog', { name: 'Requests to gpt-4o' })).toBeVisible();
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
      answer(usage.requests, ({ query }) => ({ items: query.purpose ? [] : [requestOf({})], nextCursor: null }));
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
    },
  });
  await expect.element(page.getByText('Failed to load usage and costs')).toBeVisible();
  await expect.element(page.getByText('The database is busy.').first()).toBeVisible();
  answer(usage.analytics, ({ query }) => noUsage(query));
  await page.getByRole('button', { name: 'Try Again' }).first().click();
  await expectText(card('Cost Overview'), '$0.00');
});

test('follows the range of the page for provider figures, up to 180 days', async () => {
  const figures = card('Provider’s own figures');
  const none = { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 };
  open('/analytics?tab=provider&from=2026-02-20&to=2026-03-01', {
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
  show('/analytics?tab=provider&from=2026-01-01&to=2026-07-31');
  await expectText(figures, 'OpenAI answers for at most 180 days at a time. Choose a shorter period to compare.');
  expect(requestsTo(usage.providerFigures)).toHaveLength(1);
});
