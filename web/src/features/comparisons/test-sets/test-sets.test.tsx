import { assistants } from '@roster/contracts/assistants/assistants';
import { assistantVersions } from '@roster/contracts/assistants/versions';
import { type ComparisonPrompt, comparisons } from '@roster/contracts/comparisons/comparisons';
import { draftComparisons } from '@roster/contracts/comparisons/drafts';
import { comparisonJudging } from '@roster/contracts/comparisons/judging';
import { replays } from '@roster/contracts/comparisons/replays';
import {
  type TestCounts,
  type TestRun,
  type TestRunEstimate,
  type TestSetDetail,
  testSets,
} from '@roster/contracts/comparisons/test-sets';
import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { fixtureDate, model, modelList, person } from '#web/testing/new-account.ts';
import { expectText, expectTexts, press } from '#web/testing/page.ts';
import { type RunResults, resultsCsv, resultsJson } from './results.ts';

const settings = {
  ...{ label: 'Version 2', model: 'gpt-4o', instructions: 'Be brief.', temperature: 0.7, effort: null },
  ...{ responseSchema: null, assistantVersion: 2 },
};
const counts = (more: Partial<TestCounts> = {}): TestCounts => ({
  ...{ unchanged: 0, better: 0, worse: 0, open: 0, new: 0, unanswered: 0 },
  ...more,
});
const run = (id: number, more: Partial<TestRun> = {}): TestRun => ({
  ...{ id, kind: 'test', title: 'Tutor, Basics: Version 2', assistant: { id: 1, name: 'Tutor' } },
  ...{ candidate: settings, baseline: { ...settings, label: 'Version 1', assistantVersion: 1 } },
  ...{ prompts: 20, answered: 20, tally: { candidate: 0, baseline: 0, tie: 0 }, state: 'idle', refusal: null },
  ...{ createdAt: fixtureDate, isJudging: false },
  counts: counts({ unchanged: 14, better: 4, worse: 2 }),
  ...more,
});
const set: TestSetDetail = {
  ...{ id: 7, assistant: { id: 1, name: 'Tutor', version: 2, model: 'gpt-4o' }, name: 'Basics' },
  ...{ questions: 2, runs: 1, newestRun: run(4), createdAt: fixtureDate, updatedAt: fixtureDate },
  items: [
    { id: 1, source: 'typed', turns: [{ role: 'user', text: 'Typed one' }], expected: 'Wished' },
    { id: 2, source: 'dataset', turns: [{ role: 'user', text: 'Of a dataset' }], expected: null },
  ],
};
const nothingAsked = { answers: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: [] };
const estimate: TestRunEstimate = {
  ...{ ...nothingAsked, answers: 2, costUsd: 0.0041, baselineAnswers: 0, stored: 2, withoutBaseline: 0 },
  judge: null,
};

function given(more?: () => void) {
  serveAssistants(assistant(1, { version: 2 }));
  answer(models.list, modelList(model('gpt-4o'), model('gpt-4.1')));
  answer(fineTuning.customModels, []);
  answer(testSets.list, { items: [set] });
  answer(testSets.set, set);
  answer(testSets.runs, { items: [run(4)], nextCursor: null });
  answer(testSets.estimate, ({ body }) => ({
    ...estimate,
    judge: body.judge && { ...nothingAsked, answers: 4, costUsd: 0.01 },
  }));
  answer(assistantVersions.list, [
    { number: 2, origin: { kind: 'person' }, changed: ['instructions'], createdAt: fixtureDate },
    { number: 1, origin: { kind: 'person' }, changed: [], createdAt: fixtureDate },
  ]);
  more?.();
}
const openSet = (more?: () => void) => open('/test-sets/7', { answers: () => given(more) });
const dialog = page.getByRole('dialog');
const button = (name: string) => dialog.getByRole('button', { name });
const runs = page.getByRole('table', { name: 'Runs' });

test('shows results of each run, a running one and why one stopped', async () => {
  const refused = { code: 'budget_exceeded', message: 'Your budget is used up.' };
  openSet(() =>
    answer(testSets.runs, {
      items: [
        run(6, { candidate: { ...settings, label: 'gpt-4.1', model: 'gpt-4.1' }, state: 'asking', answered: 5 }),
        run(5, { refusal: refused, counts: counts({ unanswered: 20 }) }),
        run(4),
        run(3, { baseline: null, counts: counts({ new: 20 }) }),
      ],
      nextCursor: null,
    }),
  );
  await expectTexts(runs.getByRole('row'), [
    'Run of Compared with Unchanged Better Worse Others',
    /^gpt-4\.1 .*Asking: 5 of 20 answered Version 1 14 \+4 −2 —$/,
    /^Version 2 .*Stopped: Your budget is used up\. Version 1 0 0 0 20 unanswered$/,
    /^Version 2 .* Version 1 14 \+4 −2 —$/,
    /^Version 2 .* — 0 0 0 20 new$/,
  ]);
  await page.getByText('What the words mean').click();
  await expect.element(page.getByText('the same words but for spaces, or a tie')).toBeVisible();
});

test('runs and judges with any typed model while the list is unavailable', async () => {
  let sent: unknown;
  openSet(() => {
    answer(models.list, {
      source: 'unknown',
      notice: 'The list of models cannot be read.',
      models: [],
      defaultModel: '',
    });
    answer(testSets.run, ({ body }) => {
      sent = body;
      return run(8, { state: 'asking' });
    });
  });
  await page.getByRole('button', { name: 'Run' }).click();
  await dialog.getByLabelText('What is asked').selectOptions('Another model');
  await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabelText(/^Model/).fill('llama3:8b');
  await dialog.getByLabelText('Who says what is better').fill('qwen3:32b');
  await expectText(dialog, 'qwen3:32b judges with at most 4 answers: about $0.01.');
  await button('Start').click();
  await expect
    .poll(() => sent)
    .toMatchObject({ candidate: { kind: 'model', model: 'llama3:8b' }, judge: { model: 'qwen3:32b' } });
});

test('selects what to run by keyboard, and shows the cost first', async () => {
  let sent: unknown;
  openSet(() =>
    answer(testSets.run, ({ body }) => {
      sent = body;
      return run(8, { state: 'asking' });
    }),
  );
  await page.getByRole('button', { name: 'Run' }).click();
  await expectText(dialog, '2 answers: about $0.0041. 2 earlier answers cost nothing.');
  await dialog.getByLabelText('What is asked').selectOptions('gpt-4.1');
  await dialog.getByLabelText('Compared with').selectOptions('Version 2, asked where it has no answer yet');
  await dialog.getByLabelText('Who says what is better').selectOptions('gpt-4o');
  await expectText(dialog, 'gpt-4o judges with at most 4 answers: about $0.01.');
  await dialog.getByLabelText('Criteria').fill(' ');
  await expectText(dialog, 'Say what makes an answer better.');
  await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabelText('Criteria').fill('The kinder one.');
  (button('Start').element() as HTMLElement).focus();
  await press('Enter');
  await expect
    .poll(() => sent)
    .toEqual({
      candidate: { kind: 'model', model: 'gpt-4.1' },
      baseline: { kind: 'version', version: 2 },
      judge: { model: 'gpt-4o', criteria: 'The kinder one.' },
      overBudget: false,
    });
});

test('explains why a run is impossible, and confirms one over the budget', async () => {
  openSet(() => {
    answer(testSets.estimate, ({ body }) =>
      body.candidate.kind === 'version' && body.candidate.version === 1
        ? refusal('invalid_input', 'Your API key cannot use gpt-gone.')
        : estimate,
    );
    answer(testSets.run, ({ body }) =>
      body.overBudget ? run(8) : refusal('budget_exceeded', 'Your budget of $5 is used up.'),
    );
  });
  await page.getByRole('button', { name: 'Run' }).click();
  await dialog.getByLabelText('What is asked').selectOptions('version 1');
  await expectText(dialog.getByRole('status'), 'Your API key cannot use gpt-gone.');
  await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabelText('What is asked').selectOptions('version 2');
  await button('Start').click();
  await expectText(dialog, 'Your budget of $5 is used up.');
  await button('Run anyway').click();
  await expect.element(dialog).not.toBeInTheDocument();
});

test('creates a set from typed and selected questions, and validates it', async () => {
  let sent: unknown;
  open('/assistants/1/test-sets', {
    answers: () =>
      given(() => {
        answer(testSets.list, { items: [] });
        answer(replays.questions, {
          items: [
            {
              ...{ answerId: 31, text: 'Asked before', title: 'Fractions', earlier: 2, files: 0 },
              ...{ byProgram: false, createdAt: fixtureDate },
            },
          ],
        });
        answer(datasets.list, { items: [], nextCursor: null });
        answer(testSets.create, ({ body }) => {
          sent = body;
          return set;
        });
      }),
  });
  await page.getByRole('button', { name: 'New test set' }).click();
  await button('Create test set').click();
  await expectText(dialog, 'Name is required');
  await expectText(dialog, 'Enter or choose at least one question');
  await expect.element(dialog.getByLabelText('Name')).toHaveFocus();
  await dialog.getByLabelText('Name').fill('Refunds');
  await button('From a dataset').click();
  await expectText(dialog, 'There is no dataset yet.');
  await button('From conversations').click();
  await dialog.getByRole('checkbox', { name: /^Asked before/ }).click();
  await expectText(dialog, 'After 2 earlier messages');
  await button('Type a question').click();
  await dialog.getByRole('textbox', { name: 'Question 2' }).fill('Typed');
  await button('Add expected answer to question 2').click();
  await dialog.getByRole('textbox', { name: 'Expected answer of question 2' }).fill('Wished');
  await expectText(dialog, 'Questions (2 of at most 50)');
  await press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await button('Create test set').click();
  await expect
    .poll(() => sent)
    .toEqual({
      name: 'Refunds',
      questions: [
        { kind: 'conversation', answerId: 31 },
        { kind: 'typed', text: 'Typed', expected: 'Wished' },
      ],
    });
});

test('edits a set, confirms before deleting it, and lets a Viewer read it', async () => {
  let sent: unknown;
  openSet(() => {
    answer(testSets.update, ({ body }) => {
      sent = body;
      return set;
    });
    answer(testSets.remove, () => undefined);
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Question 1' }).fill('Typed otherwise');
  await button('Remove question 2').click();
  await button('Save').click();
  await expect
    .poll(() => sent)
    .toEqual({
      name: 'Basics',
      questions: [{ kind: 'kept', questionId: 1, text: 'Typed otherwise', expected: 'Wished' }],
    });
  await page.getByRole('button', { name: 'Delete test set' }).click();
  const question = page.getByRole('alertdialog');
  await expectText(question, 'Basics with its 2 questions, 1 run and all their answers?');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(address).toBe('/assistants/1/test-sets');

  open('/test-sets/7', { user: { ...person, role: 'Viewer' }, answers: () => given() });
  await expect.element(runs).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Run' })).toHaveAttribute('aria-disabled', 'true');
});

test('retries sets and runs that failed to load', async () => {
  let failures = 2;
  openSet(() => {
    answer(testSets.set, () => (failures-- > 0 ? refusal('internal', 'It broke.') : set));
    answer(testSets.runs, refusal('internal', 'They broke.'));
  });
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expectText(page.getByRole('main'), 'The runs could not be loaded');
  await expectText(page.getByRole('main'), 'Typed one');
});

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
  await expectText(panel, 'Change something above, and see here what that does to the answers before you save.');
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
  await expectText(line, 'Of the draft before your last edits');
  await line.getByRole('button', { name: 'See all answers' }).click();
  await expect.poll(address).toBe('/fine-tuning/comparisons/9');
  expect(requestsTo(testSets.run)).toHaveLength(1);
});
