import { type Comparison, type ComparisonPrompt, comparisons } from '@roster/contracts/comparisons/comparisons';
import { comparisonJudging } from '@roster/contracts/comparisons/judging';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open, show } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectText, press } from '#web/testing/page.ts';

const prompt = page.getByRole('region', { name: 'Prompt 1', exact: true });

const settings = {
  instructions: null,
  temperature: null,
  effort: null,
  responseSchema: null,
  assistantVersion: null,
};
const prepared: Comparison = {
  id: 1,
  kind: 'models',
  title: 'gpt-4o-mini and gpt-4o',
  assistant: null,
  candidate: { ...settings, label: 'gpt-4o-mini', model: 'gpt-4o-mini' },
  baseline: { ...settings, label: 'gpt-4o', model: 'gpt-4o' },
  state: 'idle',
  refusal: null,
  prompts: 1,
  answered: 0,
  tally: { candidate: 0, baseline: 0, tie: 0 },
  createdAt: fixtureDate,
};
const unasked: ComparisonPrompt = {
  id: 1,
  instructions: '',
  turns: [{ role: 'user', text: 'What is a parrot?' }],
  expected: null,
  candidate: null,
  baseline: null,
  vote: null,
  isDue: false,
  hasBaseline: true,
};

const estimate = { answers: 2, inputTokens: 10, outputTokens: 800, costUsd: 1.25, unpriced: ['ft:mine'] };

test('shows that loading failed, and retries', async () => {
  open('/', {});
  for (const path of ['/fine-tuning?tab=compare', '/fine-tuning/comparisons/1']) {
    answer(comparisons.list, refusal('unavailable', 'Come back in a moment.'));
    answer(comparisons.comparison, refusal('unavailable', 'Come back in a moment.'));
    show(path);
    await expect.element(page.getByText('Come back in a moment.')).toBeVisible();
    answer(comparisons.list, { items: [prepared], nextCursor: null });
    answer(comparisons.comparison, { ...prepared, items: [unasked] });
    answer(comparisonJudging.list, { items: [] });
    answer(comparisons.estimate, estimate);
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect.element(page.getByText('gpt-4o-mini').first()).toBeVisible();
  }
});

test('lets a Viewer read, and explains the limits', async () => {
  const answered = (runId: number) => ({
    runId,
    state: 'complete' as const,
    text: 't0000 t0001',
    usage: null,
    error: null,
    createdAt: fixtureDate,
    finishedAt: fixtureDate,
    stored: null,
  });
  open('/fine-tuning/comparisons/1', {
    user: { ...person, role: 'Viewer' },
    answers: () => {
      answer(comparisonJudging.list, { items: [] });
      answer(comparisons.comparison, {
        ...prepared,
        answered: 1,
        items: [{ ...unasked, candidate: answered(1), baseline: answered(2) }],
      });
    },
  });
  await expect.element(page.getByText('1 of 1 prompt answered')).toBeVisible();
  for (const name of ['Ask again', 'Tuned better', 'Tie', 'Base better'])
    await expect.element(prompt.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  // Keyboard focus shows the tooltip.
  await press('Tab');
  const again = prompt.getByRole('button', { name: 'Ask again' }).element();
  if (again instanceof HTMLElement) again.focus();
  await expectText(page.getByRole('tooltip'), 'As a Viewer');
  await expectText(prompt.getByRole('region', { name: 'Tuned answer' }), 't0000');
});

test('estimates the cost, starts once, follows progress and says why it stopped', async () => {
  const whole = { ...prepared, items: [unasked] };
  const started: unknown[] = [];
  open('/fine-tuning/comparisons/1', {
    answers: () => {
      answer(comparisonJudging.list, { items: [] });
      answer(comparisons.comparison, whole);
      answer(comparisons.estimate, estimate);
      answer(comparisons.start, ({ body }) => {
        started.push(body);
        const asking = { ...prepared, state: 'asking' as const };
        answer(comparisons.comparison, { ...whole, ...asking });
        return asking;
      });
    },
  });
  await expect
    .element(page.getByText('Asking 2 answers costs about $1.25. No price is known for ft:mine.'))
    .toBeVisible();
  await page.getByRole('button', { name: 'Ask all' }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await expect.element(prompt.getByRole('button', { name: 'Ask' })).toHaveAttribute('aria-disabled', 'true');
  const waits = { code: 'too_many_runs', message: '3 answers are being written.' };
  answer(comparisons.comparison, { ...whole, state: 'asking', refusal: waits });
  await expect.element(page.getByText('3 answers are being written. It continues automatically.')).toBeVisible();
  const refusal = { code: 'budget_exceeded', message: 'The budget of $5 is used up.' };
  answer(comparisons.comparison, { ...whole, state: 'idle', refusal });
  await expect.element(page.getByText('Your budget is used up')).toBeVisible();
  await page.getByRole('button', { name: 'Ask anyway' }).click();
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  expect(started).toEqual([{ overBudget: false }, { overBudget: true }]);
});
