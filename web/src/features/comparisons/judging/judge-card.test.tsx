import { type Comparison, type ComparisonPrompt, comparisons } from '@roster/contracts/comparisons/comparisons';
import {
  comparisonJudging,
  type JudgeAnswer,
  type JudgingDetail,
  type Verdict,
} from '@roster/contracts/comparisons/judging';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { resultsCsv, resultsJson } from '#web/features/comparisons/results.ts';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, model, modelList, person } from '#web/testing/new-account.ts';
import { expectText, pickModel } from '#web/testing/page.ts';

const card = page.getByRole('region', { name: 'Judge', exact: true });
const results = page.getByRole('region', { name: 'Results', exact: true });
const prompt = (number: number) => page.getByRole('region', { name: `Prompt ${number}`, exact: true });

const settings = { instructions: null, temperature: null, effort: null, responseSchema: null, assistantVersion: null };
const comparison: Comparison = {
  id: 1,
  kind: 'models',
  title: 'gpt-4o-mini and gpt-4o',
  assistant: null,
  candidate: { ...settings, label: 'gpt-4o-mini', model: 'gpt-4o-mini' },
  baseline: { ...settings, label: 'gpt-4o', model: 'gpt-4o' },
  state: 'idle',
  refusal: null,
  prompts: 4,
  answered: 4,
  tally: { candidate: 1, baseline: 0, tie: 0 },
  createdAt: fixtureDate,
};
const usage = {
  ...{ inputTokens: 200, cachedTokens: 0, outputTokens: 20, reasoningTokens: 0 },
  ...{ costUsd: 0.002, estimated: false },
};
const complete = { state: 'complete' as const, usage, error: null, createdAt: fixtureDate, finishedAt: fixtureDate };
const asked = (id: number, vote: ComparisonPrompt['vote']): ComparisonPrompt => ({
  id,
  instructions: '',
  turns: [{ role: 'user', text: `=Question ${id}` }],
  expected: null,
  candidate: { ...complete, runId: id * 10, text: 'One, two', stored: null },
  baseline: { ...complete, runId: id * 10 + 1, text: 'Three', stored: null },
  hasBaseline: true,
  vote,
  isDue: false,
});
const items = [asked(1, 'candidate'), asked(2, null), asked(3, null), asked(4, null)];
const whole = { ...comparison, items };

const nothingOpen = { answers: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: [] };
const said = (choice: JudgeAnswer['choice'], reason: string | null, text = ''): JudgeAnswer => ({
  ...complete,
  ...{ runId: 99, text, choice, reason },
});
const verdict = (promptId: number, more: Partial<Verdict>): Verdict => ({
  ...{ promptId, outcome: null, isStale: false, isDue: false, candidateFirst: null, baselineFirst: null },
  ...more,
});
const judging: JudgingDetail = {
  id: 5,
  model: 'gpt-5-mini',
  criteria: 'The true one.',
  state: 'idle',
  follows: false,
  refusal: null,
  createdAt: fixtureDate,
  verdicts: [
    verdict(1, {
      outcome: 'candidate',
      candidateFirst: said('candidate', 'It is right.'),
      baselineFirst: said('candidate', 'It is right.'),
    }),
    verdict(2, {
      outcome: 'position',
      candidateFirst: said('candidate', 'The first.'),
      baselineFirst: said('baseline', 'Also the first.'),
    }),
    verdict(3, {
      outcome: 'unreadable',
      candidateFirst: said(null, null, 'Hard to say.'),
      baselineFirst: said('tie', 'Same.'),
    }),
    verdict(4, {
      outcome: 'baseline',
      isStale: true,
      candidateFirst: said('baseline', 'Old.'),
      baselineFirst: said('baseline', 'Old.'),
    }),
  ],
  tally: { candidate: 1, baseline: 0, tie: 1, position: 1, unreadable: 1 },
  agreement: { same: 1, of: 1 },
  open: 1,
  estimate: { answers: 2, inputTokens: 400, outputTokens: 160, costUsd: 0.004, unpriced: [] },
};

function shown(more: Partial<JudgingDetail> = {}, user = person) {
  const { verdicts: _, tally: __, agreement: ___, open: ____, estimate: _____, ...one } = { ...judging, ...more };
  open('/fine-tuning/comparisons/1', {
    user,
    answers: () => {
      answer(comparisons.comparison, whole);
      answer(comparisons.estimate, nothingOpen);
      answer(comparisonJudging.list, { items: [one] });
      answer(comparisonJudging.judging, { ...judging, ...more });
    },
  });
}

test('selects a judge with criteria and shows the cost first', async () => {
  let started: unknown;
  open('/fine-tuning/comparisons/1', {
    answers: () => {
      answer(comparisons.comparison, whole);
      answer(comparisons.estimate, nothingOpen);
      answer(comparisonJudging.list, { items: [] });
      answer(fineTuning.customModels, []);
      answer(models.list, modelList(model('gpt-4o')));
      answer(comparisonJudging.estimate, ({ body }) => ({
        ...{ answers: 8, inputTokens: 3_000, outputTokens: 640 },
        ...{ costUsd: body.model === 'gpt-4o' ? 0.0139 : null, unpriced: [] },
      }));
      answer(comparisonJudging.create, ({ body }) => {
        started = body;
        return refusal('budget_exceeded', 'The budget of this month is used up.');
      });
    },
  });
  const start = card.getByRole('button', { name: 'Start judging' });
  await expect.element(start).toHaveAttribute('aria-disabled', 'true');
  await pickModel(card.getByLabelText('Model'), 'gpt-4o');
  await expectText(card, '8 judge answers, about $0.014.');
  await card.getByLabelText('Criteria').fill(' ');
  await expectText(card.getByRole('alert'), 'Enter what makes an answer better');
  await card.getByLabelText('Criteria').fill('x'.repeat(4_001));
  await expectText(card.getByRole('alert'), 'Criteria cannot exceed 4000 characters');
  await expect.element(start).toHaveAttribute('aria-disabled', 'true');
  await card.getByLabelText('Criteria').fill('The kind one.');
  await start.click();
  await expectText(card, 'Your budget is used up');
  expect(started).toEqual({ model: 'gpt-4o', criteria: 'The kind one.', overBudget: false });
  await card.getByRole('button', { name: 'Ask anyway' }).click();
  await expect.poll(() => started).toEqual({ model: 'gpt-4o', criteria: 'The kind one.', overBudget: true });
});

test('accepts any typed judge model while the list is unavailable', async () => {
  open('/fine-tuning/comparisons/1', {
    answers: () => {
      answer(comparisons.comparison, whole);
      answer(comparisons.estimate, nothingOpen);
      answer(comparisonJudging.list, { items: [] });
      answer(fineTuning.customModels, []);
      answer(models.list, {
        source: 'unknown',
        notice: 'Cannot be read.',
        models: [],
        defaultModel: '',
        connections: [],
      });
      answer(comparisonJudging.estimate, { answers: 8, inputTokens: 1, outputTokens: 1, costUsd: null, unpriced: [] });
    },
  });
  const start = card.getByRole('button', { name: 'Start judging' });
  await expect.element(start).toHaveAttribute('aria-disabled', 'true');
  await pickModel(card.getByLabelText('Model'), 'qwen3:32b');
  await expect.element(start).not.toHaveAttribute('aria-disabled');
  await expectText(card, '8 judge answers. No price is known for qwen3:32b.');
});

test('shows verdicts at their prompts and totals in the card', async () => {
  shown();
  await expectText(card, '3 of 4 prompts judged');
  await expectText(card, '1 tie decided by position');
  await expectText(card, 'The judge agrees with 1 of your 1 vote (100%).');
  await expectText(prompt(1).getByRole('region', { name: 'Verdict' }), 'Tuned better');
  await expectText(prompt(1), 'It is right.');
  await expectText(prompt(2), 'Tie, by position');
  await expectText(prompt(3), 'No verdict');
  await expectText(prompt(3).getByRole('blockquote'), 'Hard to say.');
  await expectText(prompt(4), 'Outdated');
  await expectText(card.getByRole('button', { name: 'Judge 1 open prompt' }), 'Judge 1 open prompt');
  await expectText(card, 'About $0.004');
  await results.getByRole('button', { name: 'Table' }).click();
  await expectText(results.getByRole('table', { name: 'Results' }), '1. =Question 1');
  // In blind mode nothing reveals the models before the vote.
  await page.getByRole('switch', { name: 'Blind' }).click();
  await expect.element(results.getByRole('table', { name: 'Results' })).not.toBeInTheDocument();
  await expect.element(prompt(2).getByRole('region', { name: 'Verdict' })).not.toBeInTheDocument();
  await expect.element(prompt(1).getByRole('region', { name: 'Verdict' })).toBeVisible();
});

test('can be stopped while judging', async () => {
  let stopped = 0;
  shown({ state: 'asking', open: 0, verdicts: [verdict(1, { isDue: true })] });
  answer(comparisonJudging.stop, () => {
    stopped++;
    return { ...judging, state: 'idle' };
  });
  await expectText(prompt(1), 'Waiting');
  await card.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => stopped).toBe(1);
});

test('lets a Viewer read', async () => {
  shown({}, { ...person, role: 'Viewer' });
  for (const name of ['New judgment', 'Judge 1 open prompt', 'Delete judgment'])
    await expect.element(card.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
});

test('shows the results as a table, and saves CSV and JSON', () => {
  const [head = '', first = '', second = ''] = resultsCsv(whole, judging).split('\r\n');
  expect(
    head.startsWith('\uFEFFPrompt,Candidate (gpt-4o-mini),Baseline (gpt-4o),Vote,Verdict,Agrees,Outdated,Reason,'),
  ).toBe(true);
  expect(first).toBe(
    `'=Question 1,"One, two",Three,candidate,candidate,yes,no,It is right.,gpt-5-mini,200,20,0.002,0,200,20,0.002,0,400,40,0.004,0`,
  );
  expect(second).toContain('position,,no,The first. / Also the first.');
  const json = JSON.parse(resultsJson(whole, judging));
  expect(json).toMatchObject({
    judge: { model: 'gpt-5-mini', criteria: 'The true one.' },
    agreement: { same: 1, of: 1 },
    results: [
      { vote: 'candidate', verdict: 'candidate', agrees: true, isOutdated: false },
      {},
      {},
      { isOutdated: true },
    ],
  });
  // Without a judge: answers and votes only.
  const [votes = '', row = ''] = resultsCsv(whole, undefined).split('\r\n');
  expect(votes).not.toMatch(/Judge|Verdict/);
  expect(row).toBe(`'=Question 1,"One, two",Three,candidate,200,20,0.002,0,200,20,0.002,0`);
  const unjudged = JSON.parse(resultsJson(whole, undefined));
  expect(unjudged).toMatchObject({ votes: { candidate: 1 }, results: [{ vote: 'candidate' }, {}, {}, {}] });
  expect(JSON.stringify(unjudged)).not.toContain('verdict');
  // With only a candidate there are no votes.
  const [alone = '', only = ''] = resultsCsv({ ...whole, baseline: null }, undefined).split('\r\n');
  expect(alone).not.toMatch(/Baseline|Vote/);
  expect(only).toBe(`'=Question 1,"One, two",200,20,0.002,0`);
});
