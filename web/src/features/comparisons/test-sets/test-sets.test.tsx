import { replays } from '@roster/contracts/comparisons/replays';
import { testSets } from '@roster/contracts/comparisons/test-sets';
import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectText, expectTexts, pickModel, press } from '#web/testing/page.ts';
import { counts, estimate, given, run, set, settings } from '#web/testing/test-sets.ts';

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
  await page.getByText('Legend').click();
  await expect.element(page.getByText('the same text except for spaces, or a tie')).toBeVisible();
});

test('runs and judges with any typed model while the list is unavailable', async () => {
  let sent: unknown;
  openSet(() => {
    answer(models.list, {
      source: 'unknown',
      notice: 'The list of models cannot be read.',
      models: [],
      defaultModel: '',
      connections: [],
    });
    answer(testSets.run, ({ body }) => {
      sent = body;
      return run(8, { state: 'asking' });
    });
  });
  await page.getByRole('button', { name: 'Run' }).click();
  await pickModel(dialog.getByLabelText('What is asked'), 'llama3:8b');
  await pickModel(dialog.getByLabelText('Who decides which is better'), 'qwen3:32b');
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
  await pickModel(dialog.getByLabelText('What is asked'), 'gpt-4.1');
  await dialog.getByLabelText('Compared with').selectOptions('Version 2, asked only if not answered yet');
  await pickModel(dialog.getByLabelText('Who decides which is better'), 'gpt-4o');
  await expectText(dialog, 'gpt-4o judges with at most 4 answers: about $0.01.');
  await dialog.getByLabelText('Criteria').fill(' ');
  await expectText(dialog, 'Enter what makes an answer better');
  await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabelText('Criteria').fill('x'.repeat(4_001));
  await expectText(dialog, 'Criteria cannot exceed 4000 characters');
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
  await pickModel(dialog.getByLabelText('What is asked'), 'version 1');
  await expectText(dialog.getByRole('status'), 'Your API key cannot use gpt-gone.');
  await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
  await pickModel(dialog.getByLabelText('What is asked'), 'version 2');
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
  await expectText(dialog, 'No datasets yet.');
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
  await expectText(page.getByRole('main'), 'Failed to load the runs');
  await expectText(page.getByRole('main'), 'Typed one');
});
