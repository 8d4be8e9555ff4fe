import { type MigrationPlan, modelMigrations } from '@roster/contracts/assistants/model-migrations';
import { type Comparison, comparisons } from '@roster/contracts/comparisons/comparisons';
import { comparisonJudging } from '@roster/contracts/comparisons/judging';
import { type ReplayableQuestion, replays } from '@roster/contracts/comparisons/replays';
import { models } from '@roster/contracts/models/models';
import { modelRetirement } from '@roster/contracts/models/retirement';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { endingModel, fixtureDate, model, modelList } from '#web/testing/new-account.ts';
import { expectText, expectTexts, expectToast } from '#web/testing/page.ts';

const successor = 'gpt-6.1-terra';
const ending = model('gpt-4o', { shutdownDate: '2027-01-14', lifecycle: 'ending', successor });

const question = (answerId: number, more: Partial<ReplayableQuestion> = {}): ReplayableQuestion => ({
  ...{ answerId, text: `Question ${answerId}`, title: 'Fractions', earlier: 2, files: 0, byProgram: false },
  createdAt: fixtureDate,
  ...more,
});
const settings = { label: 'gpt-4o', model: 'gpt-4o', instructions: '', temperature: 0.7, effort: null };
const replay: Comparison = {
  ...{ id: 4, kind: 'replay', title: 'Tutor: gpt-4o and gpt-6.1-terra', assistant: { id: 1, name: 'Tutor' } },
  baseline: { ...settings, responseSchema: null, assistantVersion: 1 },
  candidate: { ...settings, label: successor, model: successor, responseSchema: null, assistantVersion: 1 },
  ...{ prompts: 1, answered: 0, tally: { candidate: 0, baseline: 0, tie: 0 }, state: 'idle', refusal: null },
  createdAt: fixtureDate,
};
const plan: MigrationPlan = {
  ...{ count: 1, withoutTemperature: 1, withoutEffort: 0 },
  assistants: [{ id: 1, name: 'Tutor', notTaken: ['temperature'] }],
  usage: {
    ...{ requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
    ...{ costUsd: 0, costAfterUsd: null },
  },
};

const dialog = page.getByRole('dialog', { name: 'Test on real questions' });
const box = (name: RegExp) => dialog.getByRole('checkbox', { name });
const prepare = dialog.getByRole('button', { name: 'Prepare' });

function openList(items: ReplayableQuestion[], answers?: () => void) {
  open('/settings?tab=assistants', {
    answers() {
      answer(models.list, modelList(ending, model(successor, { temperature: 'no' })));
      serveAssistants(assistant(1));
      answer(modelMigrations.plan, plan);
      answer(replays.questions, ({ query }) => ({
        items: query.programs === 'true' ? [question(30, { text: 'By a program', byProgram: true }), ...items] : items,
      }));
      answer(comparisons.comparison, { ...replay, items: [] });
      answer(comparisons.estimate, { answers: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: [] });
      answers?.();
    },
  });
}

test('preselects the newest questions, removes single ones and opens the comparison', async () => {
  openList([question(3, { files: 1 }), question(2), question(1)]);
  await page.getByRole('button', { name: 'Try it first' }).click();
  await expectText(
    dialog.getByText(/does not accept/),
    'gpt-6.1-terra does not accept a temperature; it is ignored for 1 assistant.',
  );
  await expect.element(box(/^Question 3 .* 1 file not sent$/)).not.toBeChecked();
  await expect.element(box(/^Question 2/)).toBeChecked();
  await dialog.getByRole('switch', { name: 'Include questions from programs' }).click();
  await expect.element(box(/^By a program/)).toBeChecked();
  await box(/^By a program/).click();
  await box(/^Question 1/).click();
  answer(replays.create, refusal('not_found', 'One of these questions no longer exists. Select the questions again.'));
  await prepare.click();
  await expectText(dialog.getByRole('alert'), 'One of these questions no longer exists. Select the questions again.');
  answer(comparisonJudging.list, { items: [] });
  answer(replays.create, { comparison: replay, notTaken: ['temperature'], messagesLeftOut: 2, filesLeftOut: 0 });
  await prepare.click();
  await expectToast('Not everything can be replayed', '2 earlier messages will not be sent.');
  await expect.poll(address).toBe('/fine-tuning/comparisons/4');
  expect(requestsTo(replays.create).at(-1)).toMatchObject({
    params: { id: 1 },
    body: { fromModel: 'gpt-4o', toModel: successor, answerIds: [2], baseline: 'stored' },
  });
  await page.getByRole('button', { name: 'Migrate', exact: true }).click();
  const move = page.getByRole('dialog', { name: 'Migrate to a successor' });
  await expect.element(move.getByLabelText('New model')).toHaveTextContent(successor);
  await expect.element(move.getByRole('checkbox', { name: /^Tutor/ })).toBeChecked();
});

test('selects at most 20, requires one, and lists earlier replays', async () => {
  openList(
    Array.from({ length: 22 }, (_, index) => question(22 - index)),
    () => answer(comparisons.list, { items: [replay], nextCursor: null }),
  );
  const found = page.getByRole('region', { name: 'Tested on real questions' }).getByRole('listitem');
  await expectTexts(found, [/^Tutor: gpt-4o and gpt-6\.1-terra 0 of 1 question answered, /]);
  await page.getByRole('button', { name: 'Try it first' }).click();
  await expect.element(box(/^Question 3 /)).toBeChecked();
  await expect.element(box(/^Question 2 /)).toBeDisabled();
  await box(/^Question 22/).click();
  await expect.element(box(/^Question 2 /)).toBeEnabled();
  answer(replays.questions, { items: [] });
  await dialog.getByRole('switch', { name: 'Include questions from programs' }).click();
  await expectText(dialog.getByText(/no answers/), 'This assistant’s conversations contain no answers from gpt-4o.');
  await expect.element(prepare).toHaveAttribute('aria-disabled', 'true');
});

test('compares with stored answers if the model is retired and unlisted', async () => {
  openList([question(1)], () => {
    answer(models.list, modelList(model(successor)));
    answer(modelRetirement.list, { items: [endingModel('gpt-4o', { lifecycle: 'gone' })] });
  });
  await page.getByRole('button', { name: 'Try it first' }).click();
  await expectText(dialog, 'gpt-4o has retired, so its earlier answers are used.');
  await expect.element(dialog.getByRole('radio', { name: 'Ask again' })).not.toBeInTheDocument();
  answer(comparisonJudging.list, { items: [] });
  answer(replays.create, { comparison: replay, notTaken: [], messagesLeftOut: 0, filesLeftOut: 0 });
  await prepare.click();
  await expect.poll(address).toBe('/fine-tuning/comparisons/4');
  expect(requestsTo(replays.create).at(-1)).toMatchObject({ body: { baseline: 'stored', answerIds: [1] } });
});
