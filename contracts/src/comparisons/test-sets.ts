import { z } from 'zod';
import { AssistantChanges } from '../assistants/assistants.ts';
import { endpoint, Id, NoContent, PathId, Time, wholeNumber } from '../endpoint.ts';
import { nameText, requiredText, textUpTo } from '../text/text.ts';
import { Comparison, ComparisonEstimate, PromptText, promptLimit } from './comparisons.ts';
import { JudgingDraft } from './judging.ts';

/** Of one assistant. */
export const testSetLimit = 20;
/** In one set: as many as a comparison has prompts. */
export const testQuestionLimit = promptLimit;
/** Of one question: what was said before it, itself, and the answer that is wished for. */
export const testQuestionCharacters = 40_000;
export const testSetNameLimit = 100;
export const expectedLimit = 10_000;

const Name = nameText(testSetNameLimit, `Name cannot exceed ${testSetNameLimit} characters`, 'Name is required');
const Expected = textUpTo(expectedLimit, `An expected answer cannot exceed ${expectedLimit} characters`);
const ModelName = requiredText(200, 'Model cannot exceed 200 characters', 'Model is required').trim();

export const testQuestionSources = ['typed', 'conversation', 'dataset'] as const;
export const TestQuestionSource = z.enum(testQuestionSources);
export type TestQuestionSource = z.output<typeof TestQuestionSource>;

export const TestQuestion = z.object({
  id: Id,
  source: TestQuestionSource,
  /** The conversation up to the question, the question last. */
  turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  /** The answer that is wished for, which a judge reads. */
  expected: z.string().nullable(),
});
export type TestQuestion = z.output<typeof TestQuestion>;

/** What the answers of a run came to, each beside the one that it is measured by. */
export const testResults = ['unchanged', 'better', 'worse', 'open', 'new', 'unanswered'] as const;
/**
 * `unchanged`: the same words but for spaces, or a tie. `open`: the words differ, and neither a vote nor a verdict says which
 * is better. `new`: there is no earlier answer. `unanswered`: not asked yet, or without a whole answer.
 */
export const TestResult = z.enum(testResults);
export type TestResult = z.output<typeof TestResult>;

export const TestCounts = z.object({
  unchanged: z.number().int(),
  better: z.number().int(),
  worse: z.number().int(),
  open: z.number().int(),
  new: z.number().int(),
  unanswered: z.number().int(),
});
export type TestCounts = z.output<typeof TestCounts>;

/** One time that a set was asked: a comparison of the kind `test`. */
export const TestRun = Comparison.extend({
  counts: TestCounts,
  /** A model is judging, or will when all is asked. */
  isJudging: z.boolean(),
});
export type TestRun = z.output<typeof TestRun>;

export const TestSet = z.object({
  id: Id,
  assistant: z.object({ id: Id, name: z.string(), version: z.number().int(), model: z.string() }),
  name: z.string(),
  questions: z.number().int(),
  runs: z.number().int(),
  /** null: it was not run yet. */
  newestRun: TestRun.nullable(),
  createdAt: Time,
  updatedAt: Time,
});
export type TestSet = z.output<typeof TestSet>;

export const TestSetDetail = TestSet.extend({ items: z.array(TestQuestion) });
export type TestSetDetail = z.output<typeof TestSetDetail>;

const NewQuestion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('typed'), text: PromptText, expected: Expected.nullable().default(null) }),
  /** By its answer, with what was said before it. */
  z.strictObject({ kind: z.literal('conversation'), answerId: Id }),
  /** With the example's answer as the expected one. */
  z.strictObject({ kind: z.literal('dataset'), exampleId: Id }),
]);
/** One that is in the set, where it is named with other words. */
const KeptQuestion = z.strictObject({
  kind: z.literal('kept'),
  questionId: Id,
  text: PromptText.optional(),
  expected: Expected.nullable().optional(),
});
export const TestQuestionDraft = z.discriminatedUnion('kind', [...NewQuestion.options, KeptQuestion]);
export type TestQuestionDraft = z.output<typeof TestQuestionDraft>;

const questionsOf = <Question extends z.ZodType>(question: Question) =>
  z
    .array(question)
    .min(1, 'Enter or choose at least one question')
    .max(testQuestionLimit, `At most ${testQuestionLimit} questions`);
// As many questions as a set has, with characters of any length.
const bodyLimit = 4 * 1024 * 1024;

const byId = z.strictObject({ id: PathId });
const version = z.number().int().min(1).max(1_000_000_000);

/** What a set is put to, and what its answers are measured by. */
export const NewTestRun = z.strictObject({
  candidate: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('version'), version }),
    /** Changes to the present version that are not saved. */
    z.strictObject({ kind: z.literal('draft'), changes: AssistantChanges }),
    /** The present version with another model. */
    z.strictObject({ kind: z.literal('model'), model: ModelName }),
  ]),
  baseline: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('nothing') }),
    /** The answers of this run; a question that it has not answered is new. */
    z.strictObject({ kind: z.literal('run'), runId: Id }),
    /** Its newest answers; what it has not answered is asked of it. A draft is measured by the present version alone. */
    z.strictObject({ kind: z.literal('version'), version }),
  ]),
  /** Who judges the answers that differ; null: the person alone. */
  judge: JudgingDraft.nullable().default(null),
});
export type NewTestRun = z.output<typeof NewTestRun>;

export const TestRunEstimate = ComparisonEstimate.extend({
  /** Of the answers, so many are the baseline's. */
  baselineAnswers: z.number().int(),
  /** Earlier answers that stand for the baseline's. */
  stored: z.number().int(),
  /** Questions without an answer to measure by. */
  withoutBaseline: z.number().int(),
  /** At most: answers with the same words are not judged. null: nobody judges. */
  judge: ComparisonEstimate.nullable(),
});
export type TestRunEstimate = z.output<typeof TestRunEstimate>;

/** Whose word a result is: the answers' own, the person's, or a judge's. */
export const TestResultBy = z.enum(['words', 'vote', 'judge']);
export type TestResultBy = z.output<typeof TestResultBy>;

export const testSets = {
  list: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/test-sets',
    access: 'user',
    summary: `The test sets of an assistant, the newest first, each with its newest run; at most ${testSetLimit}.`,
    params: byId,
    output: z.object({ items: z.array(TestSet) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/test-sets',
    access: 'editor',
    rate: 'jobs',
    summary: 'Saves questions as a test set of an assistant. Nothing is asked.',
    params: byId,
    body: z.strictObject({ name: Name, questions: questionsOf(NewQuestion) }),
    bodyLimit,
    output: TestSetDetail,
    status: 201,
  }),
  set: endpoint({
    method: 'GET',
    path: '/api/test-sets/:id',
    access: 'user',
    summary: 'One test set with its questions.',
    params: byId,
    output: TestSetDetail,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/test-sets/:id',
    access: 'editor',
    summary: 'Renames a test set, or gives it these questions instead. Its runs stay as they were.',
    params: byId,
    body: z.strictObject({ name: Name.optional(), questions: questionsOf(TestQuestionDraft).optional() }),
    bodyLimit,
    output: TestSetDetail,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/test-sets/:id',
    access: 'editor',
    summary: 'Deletes a test set with its runs and their answers. What they have cost stays recorded.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  runs: endpoint({
    method: 'GET',
    path: '/api/test-sets/:id/runs',
    access: 'user',
    summary: 'The runs of a test set, the newest first, with what their answers came to.',
    params: byId,
    query: z.strictObject({ limit: wholeNumber(1, 20).default(10), cursor: PathId.optional() }),
    output: z.object({ items: z.array(TestRun), nextCursor: z.string().nullable() }),
  }),
  estimate: endpoint({
    method: 'POST',
    path: '/api/test-sets/:id/runs/estimate',
    access: 'editor',
    summary: 'What a run will take, estimated. Nothing is stored or asked.',
    params: byId,
    body: NewTestRun,
    bodyLimit,
    output: TestRunEstimate,
  }),
  run: endpoint({
    method: 'POST',
    path: '/api/test-sets/:id/runs',
    access: 'editor',
    rate: 'jobs',
    summary: 'Asks the questions of a test set, and has the answers judged. It goes on without the page.',
    params: byId,
    body: NewTestRun.extend({ overBudget: z.boolean().optional() }),
    bodyLimit,
    output: TestRun,
    status: 201,
  }),
  results: endpoint({
    method: 'GET',
    path: '/api/test-runs/:id',
    access: 'user',
    summary: 'What each answer of a run came to. Its answers are those of the comparison with the same id.',
    params: byId,
    output: z.object({
      set: z.object({ id: Id, name: z.string() }),
      run: TestRun,
      /** In the order of the prompts. `by`: null where there is nothing to say. */
      items: z.array(z.object({ promptId: Id, result: TestResult, by: TestResultBy.nullable() })),
    }),
  }),
};
