import { assistants } from '@roster/contracts/assistants/assistants';
import { type ComparisonPrompt, comparisons } from '@roster/contracts/comparisons/comparisons';
import { draftComparisons } from '@roster/contracts/comparisons/drafts';
import { comparisonJudging } from '@roster/contracts/comparisons/judging';
import { testSets } from '@roster/contracts/comparisons/test-sets';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectText, expectTexts } from '#web/testing/page.ts';
import { counts, given, nothingAsked, run } from '#web/testing/test-sets.ts';
import { type RunResults, resultsCsv, resultsJson } from './results.ts';

const complete = {
  state: 'complete' as const,
  usage: null,
  error: null,
  createdAt: fixtureDate,
  finishedAt: fixtureDate,
};
const prompt = (id: number, more: Partial<ComparisonPrompt> = {}): ComparisonPrompt => ({
  ...{ id, instructions: '', turns: [{ role: 'user', text: `@Question ${id}` }], expected: null },
  ...{ candidate: { ...complete, runId: id, text: '+1', stored: null }, hasBaseline: true },
  ...{ baseline: { ...complete, runId: null, text: 'Earlier', stored: { model: 'gpt-4o', version: 1 } } },
  ...{ vote: null, isDue: false },
  ...more,
});
const results: RunResults = {
  set: { id: 7, name: 'Basics' },
  run: run(4, { prompts: 2, answered: 2, counts: counts({ better: 1, new: 1 }) }),
  items: [
    { promptId: 1, result: 'better', by: 'judge' },
    { promptId: 2, result: 'new', by: null },
  ],
};
const whole = { ...results.run, items: [prompt(1), prompt(2, { baseline: null, hasBaseline: false })] };

test('shows the results of a run, and a question without earlier answer alone', async () => {
  open('/fine-tuning/comparisons/4', {
    answers: () =>
      given(() => {
        answer(comparisons.comparison, whole);
        answer(comparisons.estimate, nothingAsked);
        answer(comparisonJudging.list, { items: [] });
        answer(testSets.results, { ...results, items: [...results.items] });
      }),
  });
  const card = page.getByRole('region', { name: 'Results' });
  await expectText(card, '0 of 2 unchanged, 1 better, 0 worse, 1 new.');
  await expectTexts(card.getByRole('row'), [
    'Question This run Earlier run Result By',
    '1. @Question 1 +1 Earlier Better Judge',
    '2. @Question 2 +1 — New —',
  ]);
  await expectText(page.getByRole('main'), '2 of 2 prompts answered');
  const second = page.getByRole('region', { name: 'Prompt 2' });
  await expectTexts(second.getByRole('heading', { level: 3 }), ['This run']);
  await expect.element(page.getByRole('button', { name: 'Ask all' })).toHaveAttribute('aria-disabled', 'true');
});

test('saves results as CSV without formulas, and as JSON', () => {
  const csv = resultsCsv(whole, results).split('\r\n');
  expect(csv[1]).toBe(`'@Question 1,,'+1,Earlier,Better,Judge,`);
  expect(csv[2]).toBe(`'@Question 2,,'+1,,New,,`);
  expect(JSON.parse(resultsJson(whole, results))).toMatchObject({
    set: 'Basics',
    counts: { better: 1, new: 1 },
    results: [
      { result: 'better', by: 'judge', candidate: { text: '+1' } },
      { result: 'new', baseline: null },
    ],
  });
});

test('shows the effect of a change before saving, until the next edit', async () => {
  let sent: unknown;
  open('/settings?tab=assistants&edit=1', {
    answers: () =>
      given(() => {
        answer(assistants.files, []);
        answer(testSets.run, ({ body }) => {
          sent = body;
          return run(9, { state: 'asking' });
        });
        answer(testSets.results, { set: results.set, run: run(9), items: [] });
        answer(comparisons.comparison, { ...run(9), items: [] });
        answer(comparisons.estimate, nothingAsked);
        answer(comparisonJudging.list, { items: [] });
        answer(draftComparisons.draft, { assistantId: 1, version: 2, changes: {} });
      }),
  });
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  await expectText(panel, 'Change something above to see its effect on the answers before you save.');
  const instructions = panel.getByLabelText('Instructions', { exact: true });
  await instructions.fill('Be kind.');
  await panel.getByRole('button', { name: 'Try the draft on ‘Basics’...' }).click();
  await page.getByRole('dialog', { name: 'Try the draft' }).getByRole('button', { name: 'Start' }).click();
  const line = panel.getByRole('status').filter({ hasText: 'See all answers' });
  await expectText(line, /^Before you save ?14 of 20 unchanged, 4 better, 2 worse\./);
  expect(sent).toEqual({
    candidate: { kind: 'draft', changes: { instructions: 'Be kind.' } },
    baseline: { kind: 'version', version: 2 },
    judge: null,
    overBudget: false,
  });
  await instructions.fill('Be kinder.');
  await expectText(line, 'Results from before your last edits');
  await line.getByRole('button', { name: 'See all answers' }).click();
  await expect.poll(address).toBe('/fine-tuning/comparisons/9');
  expect(requestsTo(testSets.run)).toHaveLength(1);
});
