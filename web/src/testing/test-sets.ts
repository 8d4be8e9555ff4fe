import { assistantVersions } from '@roster/contracts/assistants/versions';
import {
  type TestCounts,
  type TestRun,
  type TestRunEstimate,
  type TestSetDetail,
  testSets,
} from '@roster/contracts/comparisons/test-sets';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { models } from '@roster/contracts/models/models';
import { answer } from './answers.ts';
import { assistant, serveAssistants } from './assistants.ts';
import { fixtureDate, model, modelList } from './new-account.ts';

export const settings = {
  ...{ label: 'Version 2', model: 'gpt-4o', instructions: 'Be brief.', temperature: 0.7, effort: null },
  ...{ responseSchema: null, assistantVersion: 2 },
};
export const counts = (more: Partial<TestCounts> = {}): TestCounts => ({
  ...{ unchanged: 0, better: 0, worse: 0, open: 0, new: 0, unanswered: 0 },
  ...more,
});
export const run = (id: number, more: Partial<TestRun> = {}): TestRun => ({
  ...{ id, kind: 'test', title: 'Tutor, Basics: Version 2', assistant: { id: 1, name: 'Tutor' } },
  ...{ candidate: settings, baseline: { ...settings, label: 'Version 1', assistantVersion: 1 } },
  ...{ prompts: 20, answered: 20, tally: { candidate: 0, baseline: 0, tie: 0 }, state: 'idle', refusal: null },
  ...{ createdAt: fixtureDate, isJudging: false },
  counts: counts({ unchanged: 14, better: 4, worse: 2 }),
  ...more,
});
export const set: TestSetDetail = {
  ...{ id: 7, assistant: { id: 1, name: 'Tutor', version: 2, model: 'gpt-4o' }, name: 'Basics' },
  ...{ questions: 2, runs: 1, newestRun: run(4), createdAt: fixtureDate, updatedAt: fixtureDate },
  items: [
    { id: 1, source: 'typed', turns: [{ role: 'user', text: 'Typed one' }], expected: 'Wished' },
    { id: 2, source: 'dataset', turns: [{ role: 'user', text: 'Of a dataset' }], expected: null },
  ],
};
export const nothingAsked = { answers: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpriced: [] };
export const estimate: TestRunEstimate = {
  ...{ ...nothingAsked, answers: 2, costUsd: 0.0041, baselineAnswers: 0, stored: 2, withoutBaseline: 0 },
  judge: null,
};

/** An assistant with a test set that was run once. */
export function given(more?: () => void) {
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
