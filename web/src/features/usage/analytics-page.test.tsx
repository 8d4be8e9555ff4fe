import { type CustomPrice, type UsageRequest, usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { fixtureDate, noFigures, noUsage } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast, press } from '#web/testing/page.ts';

const card = (title: string) => page.getByRole('region', { name: title, exact: true });
const bars = card('Cost by Day').getByRole('group').getByRole('button');

const requestOf = (more: Partial<UsageRequest>): UsageRequest => ({
  id: 1,
  at: fixtureDate,
  model: 'gpt-4o',
  purpose: 'chat',
  assistant: null,
  accessToken: null,
  thread: { id: 3, title: 'Keys' },
  comparisonId: null,
  jobId: null,
  inputTokens: 20,
  cachedTokens: 0,
  outputTokens: 100,
  reasoningTokens: 0,
  costUsd: 0.0011,
  serviceTier: null,
  estimated: false,
  ...more,
});

test('shows zeros, an empty chart and a next step to a new account', async () => {
  open('/analytics');
  await expectText(card('Cost Overview'), '$0.00');
  await expectText(card('Usage Statistics'), '0 requests');
  await expectText(card('Token Usage'), '0 tokens');
  await expectText(card('Cost by Day'), 'No requests in these days.');
  await expectCount(bars, 30);
  for (const title of ['Model Distribution', 'Cost by Model', 'Cost by Assistant'])
    await expectText(card(title), 'Nothing was used in these days.');
  await expect.element(card('Recent Requests').getByRole('link', { name: 'Start a chat' })).toBeVisible();
  await expectText(card('Budgets'), 'No budget is set.');
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
  await expect.element(page.getByText('The last day must not be before the first')).toBeVisible();
  await expect.element(to).toHaveFocus();
  await from.fill('2024-03-05');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.element(page.getByText('At most 366 days can be shown at once; these are 727')).toBeVisible();
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
  await expect.element(page.getByText('The last day must not be before the first')).toBeVisible();
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
  const table = chart.getByText('Show the days as a table').element();
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

test('never shows an unknown price as zero, and applies a new one retroactively', async () => {
  const used = { ...noFigures, requests: 2, inputTokens: 40, outputTokens: 2000, costUsd: null, unpricedRequests: 2 };
  const priced = { ...used, costUsd: 0.2, unpricedRequests: 0 };
  let price: CustomPrice | null = null;
  let figures: typeof priced | typeof used = used;
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        totals: figures,
        byModel: [{ ...figures, model: 'chat-latest', family: null }],
      }));
      answer(usage.prices, () => (price ? [price] : []));
      answer(usage.setPrice, ({ body }) => {
        price = { ...body, setAt: fixtureDate };
        figures = priced;
        return { ...price, pricedRequests: 2 };
      });
      answer(usage.removePrice, () => {
        price = null;
      });
    },
  });
  const byModel = card('Cost by Model');
  await expectText(card('Cost Overview'), 'No price known');
  await expectText(byModel, 'no price known');
  await expectText(byModel, '2 requests without a price');
  await expectText(card('Model Distribution'), /2 requests · [\d,]+ in · 2,000 out/);
  await byModel.getByRole('button', { name: 'Set price of chat-latest' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set price' });
  await dialog.getByRole('button', { name: 'Save price' }).click();
  await expectCount(dialog.getByText('Enter a price; 0 where it costs nothing'), 2);
  await expect.element(dialog.getByLabelText('Input').first()).toHaveFocus();
  await dialog.getByRole('textbox', { name: /^Input/ }).fill('0');
  await dialog.getByRole('textbox', { name: /^Output/ }).fill('100');
  await press('Enter');
  await expectToast('Price saved', '2 past requests to chat-latest got this price too.');
  expect(requestsTo(usage.setPrice)).toMatchObject([{ body: { model: 'chat-latest', input: 0, output: 100 } }]);
  await expectText(card('Cost Overview'), '$0.20');
  await expectText(byModel, '$0.20');
  await expect.element(byModel).not.toMatchTextContent('no price known');

  await byModel.getByRole('button', { name: 'Custom prices' }).click();
  const prices = page.getByRole('dialog', { name: 'Custom prices' });
  await expectText(prices.getByRole('listitem'), '$100.00 out');
  await prices.getByRole('button', { name: 'Change price of chat-latest' }).click();
  await expect.element(dialog.getByRole('textbox', { name: /^Output/ })).toHaveValue('100');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await prices.getByRole('button', { name: 'Remove price of chat-latest' }).click();
  await expectText(prices, 'You have set no prices.');
  await prices.getByRole('button', { name: 'Close' }).click();
  await expectHidden(prices);
  await expectText(byModel, '$0.20');
});

test('shows cost by access token, linked to its calls', async () => {
  const used = { ...noFigures, requests: 3, inputTokens: 30, outputTokens: 60, costUsd: 0.25 };
  const accessToken = { id: 8, name: 'Nightly', isRevoked: true };
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        totals: { ...used, costUsd: 0.5 },
        byAccessToken: [{ ...used, accessToken }],
      }));
      answer(usage.requests, { items: [requestOf({ thread: null, accessToken })], nextCursor: null });
    },
  });
  const byToken = card('Cost by Access Token');
  await expectText(byToken, '3 requests · 90 tokens · revoked');
  await expectText(byToken, '50%');
  await byToken.getByRole('button', { name: 'Nightly: show requests' }).click();
  const panel = page.getByRole('dialog', { name: 'Requests with Nightly' });
  await expectText(panel.getByRole('listitem'), 'Program, Nightly');
  expect(requestsTo(usage.requests)).toMatchObject([{ query: { accessTokenId: 8 } }]);
});

test('shows that loading failed, and retries', async () => {
  open('/analytics', {
    answers() {
      answer(usage.analytics, refusal('unavailable', 'The database is busy.'));
      answer(usage.budgets, refusal('unavailable', 'The database is busy.'));
    },
  });
  await expect.element(page.getByText('Usage and costs could not be loaded')).toBeVisible();
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
  await expectText(figures, 'Nothing was used in these days');
  expect(requestsTo(usage.providerFigures)).toMatchObject([{ query: { from: '2026-02-20', to: '2026-03-01' } }]);
  show('/analytics?from=2026-01-01&to=2026-07-31');
  await expectText(figures, 'OpenAI answers for at most 180 days at once. Choose fewer days to compare.');
  expect(requestsTo(usage.providerFigures)).toHaveLength(1);
});

test('shows tool costs in a card, without invented prices', async () => {
  const price = { usdPerThousandCalls: 2.5, asOf: '2026-06-26', source: 'The price page' };
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        byTool: [
          { tool: 'file_search', calls: 4, costUsd: 0.01, unpricedCalls: 0, price },
          { tool: 'web_search', calls: 1, costUsd: null, unpricedCalls: 1, price: null },
        ],
        storage: { usdPerGigabyteDay: 0.1, freeGigabytes: 1, asOf: '2026-06-26', source: 'The price page' },
      }));
    },
  });
  const rows = card('Tools').getByRole('listitem');
  await expectTexts(rows, [
    /File search\s*\$0\.01\s*4 searches · \$2\.50 for 1,000, as of June 26, 2026/,
    /Web search\s*price unknown\s*1 search · Roster knows no price of it; the provider’s bill has it\./,
  ]);
  await expectText(card('Tools'), '$0.10 for a GB and day after the first 1 GB');
});

test('shows fine-tuning jobs in a card, outside the average per request', async () => {
  const used = { ...noFigures, requests: 2, inputTokens: 40, outputTokens: 2000, costUsd: 0.2 };
  const job = requestOf({ purpose: 'training', thread: null, jobId: 4, inputTokens: 12_000, outputTokens: 0 });
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        totals: { ...used, costUsd: 6.2 },
        byModel: [{ ...used, model: 'gpt-4o', family: null }],
        byAssistant: [{ ...used, assistant: null }],
        fineTuning: [
          { model: 'gpt-4o', jobs: 3, trainedTokens: 12_000, costUsd: 6, unpricedJobs: 1 },
          { model: 'home-made', jobs: 1, trainedTokens: 10, costUsd: null, unpricedJobs: 1 },
        ],
        recent: [job, requestOf({ id: 2 })],
      }));
      answer(usage.requests, { items: [job], nextCursor: null });
    },
  });
  await expectText(card('Cost Overview'), /Fine-tuning\s*\$6\.00/);
  await expectText(card('Usage Statistics'), /Average cost per request\s*\$0\.10/);
  await expectText(card('Cost by Assistant'), /No assistant\s*\$0\.20/);
  const tuning = card('Fine-Tuning');
  await expectTexts(tuning.getByRole('listitem'), [
    /gpt-4o\s*\$6\.00\s*3 jobs · 12,000 tokens trained · 1 job without a price/,
    /home-made\s*no price known\s*1 job · 10 tokens trained/,
  ]);
  const recent = card('Recent Requests');
  await expectText(recent.getByRole('row').nth(1), /Fine-tuning.*Open job/);
  await expect.element(recent.getByRole('button', { name: 'Show all 6' })).toBeVisible();
  await tuning.getByRole('button', { name: 'gpt-4o: show jobs' }).click();
  const panel = page.getByRole('dialog', { name: 'Fine-tuning jobs of gpt-4o' });
  await expectText(panel.getByRole('listitem'), /12,000 tokens trained/);
  expect(requestsTo(usage.requests)).toMatchObject([{ query: { model: 'gpt-4o', purpose: 'training' } }]);
});

test('labels requests by purpose', async () => {
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        recent: [
          requestOf({ purpose: 'title' }),
          requestOf({ id: 2, purpose: 'continuation' }),
          requestOf({ id: 3, purpose: 'tool_step' }),
          requestOf({ id: 4, purpose: 'title', thread: null }),
          requestOf({ id: 5 }),
          requestOf({ id: 6, purpose: 'training', costUsd: null }),
        ],
      }));
    },
  });
  const cells = card('Recent Requests')
    .getByRole('row')
    .getByRole('cell')
    .filter({ hasText: /Keys|Deleted|deleted/ });
  await expectTexts(cells, [
    'Titles · Keys',
    'Continuation · Keys',
    'Tool step · Keys',
    'Titles · Deleted',
    'Keys',
    'Job, deleted',
  ]);
  // Custom prices apply to answers only, so none is offered for a job.
  await expectCount(card('Recent Requests').getByRole('button'), 0);
});

test('marks a snapshot priced by its family, and lets the user set a price', async () => {
  const model = 'gpt-4o-2031-01-01';
  const used = { ...noFigures, requests: 2, inputTokens: 40, outputTokens: 2000, costUsd: 0.2 };
  let family: string | null = 'gpt-4o';
  open('/analytics', {
    answers() {
      answer(usage.analytics, ({ query }) => ({
        ...noUsage(query),
        totals: used,
        byModel: [{ ...used, model, family }],
      }));
      answer(usage.setPrice, ({ body }) => {
        family = null;
        return { ...body, setAt: fixtureDate, pricedRequests: 0 };
      });
    },
  });
  const row = card('Cost by Model').getByRole('listitem');
  await expectText(row, /\$0\.10 a request · priced as gpt-4o\s*100%\s*Set price/);
  await row.getByRole('button', { name: `Set price of ${model}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Set price' });
  await expectText(dialog, 'uses that of gpt-4o. Your price applies from now on; past requests keep theirs.');
  await dialog.getByRole('textbox', { name: /^Input/ }).fill('3');
  await dialog.getByRole('textbox', { name: /^Output/ }).fill('12');
  await press('Enter');
  await expectToast('Price saved', `It applies to ${model} from now on.`);
  await expect.element(row).not.toMatchTextContent('priced as');
});
