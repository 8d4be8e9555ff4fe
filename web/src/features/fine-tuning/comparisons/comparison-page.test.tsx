import { type Comparison, type ComparisonPrompt, comparisons } from '@roster/contracts/fine-tuning/comparisons';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open, show } from '#web/testing/app.tsx';
import { givenDay, person } from '#web/testing/new-account.ts';
import { expectText, press } from '#web/testing/page.ts';

const prompt = page.getByRole('region', { name: 'Prompt 1', exact: true });

const prepared: Comparison = {
  id: 1,
  tunedModel: 'gpt-4o-mini',
  baseModel: 'gpt-4o',
  temperature: null,
  prompts: 1,
  answered: 0,
  tally: { tuned: 0, base: 0, tie: 0 },
  createdAt: givenDay,
};
const unasked: ComparisonPrompt = {
  id: 1,
  instructions: '',
  turns: [{ role: 'user', text: 'What is a parrot?' }],
  expected: null,
  tuned: null,
  base: null,
  vote: null,
};

test('what cannot be loaded says so and can be tried again', async () => {
  open('/', {});
  for (const path of ['/fine-tuning?tab=compare', '/fine-tuning/comparisons/1']) {
    answer(comparisons.list, refusal('unavailable', 'Come back in a moment.'));
    answer(comparisons.comparison, refusal('unavailable', 'Come back in a moment.'));
    show(path);
    await expect.element(page.getByText('Come back in a moment.')).toBeVisible();
    answer(comparisons.list, { items: [prepared], nextCursor: null });
    answer(comparisons.comparison, { ...prepared, items: [unasked] });
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect.element(page.getByText('gpt-4o-mini').first()).toBeVisible();
  }
});

test('a Viewer reads and is told why there is no more', async () => {
  const answered = (runId: number) => ({
    runId,
    state: 'complete' as const,
    text: 't0000 t0001',
    usage: null,
    error: null,
    createdAt: givenDay,
    finishedAt: givenDay,
  });
  open('/fine-tuning/comparisons/1', {
    user: { ...person, role: 'Viewer' },
    answers: () =>
      answer(comparisons.comparison, {
        ...prepared,
        answered: 1,
        items: [{ ...unasked, tuned: answered(1), base: answered(2) }],
      }),
  });
  await expect.element(page.getByText('1 of 1 prompt answered')).toBeVisible();
  for (const name of ['Ask again', 'Tuned better', 'Tie', 'Base better'])
    await expect.element(prompt.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  // The tooltip is for whoever comes by keyboard.
  await press('Tab');
  const again = prompt.getByRole('button', { name: 'Ask again' }).element();
  if (again instanceof HTMLElement) again.focus();
  await expectText(page.getByRole('tooltip'), 'Your role is Viewer');
  await expectText(prompt.getByRole('region', { name: 'Tuned answer' }), 't0000');
});
