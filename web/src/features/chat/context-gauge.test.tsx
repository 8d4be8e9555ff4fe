import { chat, type Message, type Usage } from '@roster/contracts/chat';
import { type Model, models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { model, modelList } from '#web/testing/new-account.ts';
import { expectCount } from '#web/testing/page.ts';

const gauge = page.getByRole('button', { name: /^Context:/ });
const price = { input: 2, cachedInput: null, output: 8, asOf: '2026-11-01', family: null };

const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: null,
  estimated: false,
  ...more,
});

function openChat(answered: Partial<Message>, more: Partial<Model> = {}, ...later: Partial<Message>[]) {
  open('/chat/1', {
    answers() {
      serveThreads([thread(1)], exchange(1, { text: 'Question' }, { text: 'The answer', ...answered }, ...later));
      answer(models.list, modelList(model('gpt-4o', { contextTokens: 100_000, ...more })));
    },
  });
}

test.each([
  [1, 0, '<1%', 'text-muted-foreground'],
  [70_000, 9_000, '79%', 'text-muted-foreground'],
  [70_000, 10_000, '80%', 'text-warning-text'],
  [90_000, 9_999, '>99%', 'text-warning-text'],
  [90_000, 10_000, '100%', 'text-destructive-text'],
  [120_000, 10_000, '130%', 'text-destructive-text'],
])('shows the share that %d and %d tokens take', async (input, output, share, tone) => {
  openChat({ usage: usage(input, output) });
  await expect.element(gauge).toHaveAccessibleName(`Context: ${share} of 100,000 tokens`);
  await expect.element(gauge).toHaveClass(tone);
});

test.each([
  ['has no usage', { usage: null }, {}],
  ['reports zero tokens', { usage: usage(0, 0) }, {}],
  ['comes from a model of unknown context', { usage: usage(100, 10) }, { contextTokens: null }],
])('shows nothing if the answer %s', async (_, answered, more) => {
  openChat(answered, more);
  await expect.element(page.getByText('The answer')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Attach files, switch tools' })).toBeVisible();
  await expect.poll(() => requestsTo(models.list).length).toBe(1);
  await expectCount(gauge, 0);
});

test('tells the cost per message and what to do when the context is almost full', async () => {
  openChat({ usage: usage(80_000, 5_000) }, { price });
  await gauge.click();
  await expect.element(page.getByText('costs about $0.17 per message')).toBeVisible();
  await expect.element(page.getByText('It is almost full.')).toBeVisible();
  await expect.element(gauge).toHaveAttribute('aria-expanded', 'true');
  await gauge.click();
  await expectCount(page.getByText('per message'), 0);
});

test('says that no price is known', async () => {
  openChat({ usage: usage(8_000, 500) });
  await gauge.click();
  await expect.element(page.getByText('No price known.')).toBeVisible();
});

test('keeps the last known usage while a later answer has none', async () => {
  openChat({ usage: usage(10_000, 2_000) }, {}, { text: 'Again' }, { text: 'Failed', usage: null });
  await expect.element(gauge).toHaveAccessibleName('Context: 12% of 100,000 tokens');
});

test('marks estimates, and sums of several requests as an upper limit', async () => {
  openChat({ usage: usage(10_000, 2_000, { estimated: true }) });
  await expect.element(gauge).toHaveAccessibleName('Context: about 12% of 100,000 tokens');
  openChat({ usage: usage(10_000, 2_000), continued: true });
  await expect.element(gauge).toHaveAccessibleName('Context: at most 12% of 100,000 tokens');
});

test('asks for nothing that the page has not loaded', async () => {
  openChat({ usage: usage(10_000, 2_000) });
  await expect.element(gauge).toBeVisible();
  expect(requestsTo(chat.messages)).toHaveLength(1);
  expect(requestsTo(models.list)).toHaveLength(1);
});
