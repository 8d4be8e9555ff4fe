import { type CustomPrice, usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { fixtureDate, noFigures, noUsage } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast, press } from '#web/testing/page.ts';
import { requestOf } from '#web/testing/usage.ts';

const card = (title: string) => page.getByRole('region', { name: title, exact: true });

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
  await expectText(byModel, '2 requests with no known price');
  await expectText(card('Model Distribution'), /2 requests · [\d,]+ in · 2,000 out/);
  await byModel.getByRole('button', { name: 'Set price of chat-latest' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set price' });
  await dialog.getByRole('button', { name: 'Save price' }).click();
  await expectCount(dialog.getByText('Enter a price, or 0 if it is free'), 2);
  await expect.element(dialog.getByLabelText('Input').first()).toHaveFocus();
  await dialog.getByRole('textbox', { name: /^Input/ }).fill('0');
  await dialog.getByRole('textbox', { name: /^Output/ }).fill('100');
  await press('Enter');
  await expectToast('Price saved', 'It also applies to 2 past requests to chat-latest.');
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
  await expectText(prices, 'No custom prices yet.');
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

test('shows tool costs in a card, without invented prices', async () => {
  const price = { usdPerThousandCalls: 2.5, asOf: '2026-06-26', source: 'The price page' };
  open('/analytics?tab=tools', {
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
    /Web search\s*No price known\s*1 search · Roster has no price for this tool; check your provider’s bill\./,
  ]);
  await expectText(card('Tools'), '$0.10 for a GB and day after the first 1 GB');
});

test('shows training as a cost of its own, outside the average per request', async () => {
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
        recent: [requestOf({ id: 2 })],
      }));
      answer(usage.requests, { items: [job], nextCursor: null });
    },
  });
  await expectText(card('Cost Overview'), /Training\s*\$6\.00/);
  await expectText(card('Usage Statistics'), /Average cost per request\s*\$0\.10/);
  await expectText(card('Cost by Assistant'), /No assistant\s*\$0\.20/);
  const tuning = card('Cost Breakdown');
  await expectTexts(tuning.getByRole('listitem'), [
    /Requests\s*\$0\.20\s*2 requests/,
    /Built-in tools\s*\$0\.00\s*0 calls/,
    /Training\s*\$6\.00\s*4 jobs/,
    /gpt-4o\s*\$6\.00\s*3 jobs · 12,000 tokens trained · 1 job with no known price/,
    /home-made\s*no price known\s*1 job · 10 tokens trained/,
  ]);
  const recent = card('Recent Requests');
  await expectCount(recent.getByRole('row'), 2);
  await recent.getByRole('button', { name: 'Show all 2' }).click();
  await expect.poll(address).toBe('/analytics?tab=requests');
  show('/analytics');
  await tuning.getByRole('button', { name: 'gpt-4o: show jobs' }).click();
  const panel = page.getByRole('dialog', { name: 'Fine-tuning jobs of gpt-4o' });
  await expectText(panel.getByRole('listitem'), /12,000 tokens trained/);
  expect(requestsTo(usage.requests).at(-1)).toMatchObject({ query: { model: 'gpt-4o', purpose: 'training' } });
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
        ],
      }));
    },
  });
  const cells = card('Recent Requests')
    .getByRole('row')
    .getByRole('cell')
    .filter({ hasText: /Keys|Deleted|deleted/ });
  await expectTexts(cells, ['Titles · Keys', 'Continuation · Keys', 'Tool step · Keys', 'Titles · Deleted', 'Keys']);
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
  await expectText(dialog, 'uses the price of gpt-4o. Your price applies from now on; past requests keep theirs.');
  await dialog.getByRole('textbox', { name: /^Input/ }).fill('3');
  await dialog.getByRole('textbox', { name: /^Output/ }).fill('12');
  await press('Enter');
  await expectToast('Price saved', `It applies to ${model} from now on.`);
  await expect.element(row).not.toMatchTextContent('priced as');
});
