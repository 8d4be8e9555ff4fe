import { chat, type Message, type Summary, type ThreadListItem } from '@roster/contracts/chat';
import { models } from '@roster/contracts/models/models';
import { summaries } from '@roster/contracts/summaries';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { fixtureDate, model, modelList } from '#web/testing/new-account.ts';
import { expectCount, expectText } from '#web/testing/page.ts';

const card = page.getByRole('region', { name: 'Summary of earlier messages' });
const offer = page.getByRole('button', { name: 'Summarize earlier messages' });
const full = { cachedTokens: 0, reasoningTokens: 0, costUsd: null, estimated: false };

const summary = (more: Partial<Summary> = {}): Summary => ({
  ...{ text: 'It was about quinces.', state: 'complete', error: null, model: 'gpt-4o', edited: false },
  ...{ inputTokens: 900, outputTokens: 100, costUsd: 0.01, createdAt: fixtureDate },
  ...more,
});

function openChat(first: Partial<Message>, last: Partial<Message> = {}, more: Partial<ThreadListItem> = {}) {
  const usage = { ...full, inputTokens: 80_000, outputTokens: 5_000 };
  const parts = [
    { text: 'One' },
    { text: 'First answer', ...first },
    { text: 'Two' },
    { text: 'Second', usage, ...last },
  ];
  const messages = exchange(1, ...parts);
  open('/chat/1', {
    answers() {
      serveThreads([thread(1, more)], messages);
      serveAssistants(assistant(1, { earlierMessages: 'summarize' }));
      answer(models.list, modelList(model('gpt-4o', { contextTokens: 100_000 })));
      const [, summed] = messages;
      if (summed) answer(summaries.create, { ...summed, summary: summary({ state: 'writing', text: '' }) });
      if (summed) answer(summaries.change, { ...summed, summary: summary() });
      answer(summaries.remove, undefined);
      answer(chat.events, () => new Promise(() => undefined));
    },
  });
}

test('offers a summary above 80 % of the context', async () => {
  openChat({});
  await offer.click();
  await expect
    .poll(() => requestsTo(summaries.create).map(({ params, body }) => [params, body]))
    .toEqual([[{ id: 1 }, {}]]);
});

test('offers none below, or once one has been written since the last answer', async () => {
  openChat({}, { usage: { ...full, inputTokens: 100, outputTokens: 5 } });
  await expect.element(page.getByRole('button', { name: /^Context:/ })).toBeVisible();
  await expectCount(offer, 0);
  openChat({ summary: summary({ createdAt: '2099-01-01T00:00:00.000Z' }) });
  await expect.element(card).toBeVisible();
  await expectCount(offer, 0);
});

test('offers it in the place of a refusal for length, before the refused question', async () => {
  const error = { code: 'context_too_long', message: 'The conversation is longer than this model can read.' } as const;
  openChat({}, { text: '', state: 'failed', error, usage: null, run: { id: 4, state: 'failed' } });
  await offer.click();
  await expect.poll(() => requestsTo(summaries.create).map(({ body }) => body)).toEqual([{ before: 3 }]);
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('summarizes over a used-up budget only when asked again', async () => {
  openChat({});
  await expect.element(offer).toBeVisible();
  answer(summaries.create, refusal('budget_exceeded', 'The budget is used up.'));
  await offer.click();
  await page.getByRole('button', { name: 'Summarize anyway' }).click();
  await expect.poll(() => requestsTo(summaries.create).map(({ body }) => body)).toEqual([{}, { overBudget: true }]);
});

test('shows a summary with its cost, edits it, and takes it back', async () => {
  openChat({ summary: summary() });
  await expectText(card.getByRole('status'), 'From here on, models get a summary instead of the messages above.');
  await card.getByText('Read the summary').click();
  await expect.element(card.getByText('It was about quinces.')).toBeVisible();
  await expect.element(card.getByText(/gpt-4o · 1,000 tokens · \$0\.01/)).toBeVisible();
  await card.getByRole('button', { name: 'Edit summary' }).click();
  await card.getByRole('textbox', { name: 'Edit summary' }).fill('Only quinces.');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => requestsTo(summaries.change).map(({ body }) => body)).toEqual([{ text: 'Only quinces.' }]);
  await card.getByRole('button', { name: 'Remove summary' }).click();
  await expect.poll(() => requestsTo(summaries.remove).map(({ params }) => params)).toEqual([{ id: 2 }]);
});

test('says that a summary is being written, or why it failed', async () => {
  openChat({ summary: summary({ state: 'writing', text: '' }) });
  await expectText(card.getByRole('status'), /Summarizing the messages above/);
  await expect.element(card.getByRole('button', { name: 'Cancel' })).toBeVisible();
  openChat({ summary: summary({ state: 'failed', text: '', error: 'The model took too long.' }) });
  await expectText(card.getByRole('status'), 'Failed to summarize the messages above. The model took too long.');
});

test('says while a question waits for the summary that its assistant makes', async () => {
  const waiting = { text: '', state: 'running', usage: null, run: { id: 4, state: 'running' } } as const;
  openChat({ summary: summary({ state: 'writing', text: '' }) }, waiting);
  await expect.element(page.getByText('Summarizing earlier messages…')).toBeVisible();
  openChat({ summary: summary({ state: 'writing', text: '', createdAt: '2026-11-01T00:00:00.000Z' }) }, waiting);
  await expect.element(page.getByText('Waiting for the model')).toBeVisible();
});

test('offers nothing if the assistant summarizes by itself', async () => {
  openChat({}, {}, { assistantId: 1 });
  await expect.element(page.getByText(/Earlier messages are summarized before your next one is sent/)).toBeVisible();
  await expectCount(offer, 0);
});
