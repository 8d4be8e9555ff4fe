import { z } from 'zod';
import { AssistantChanges } from '../assistants/assistants.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { ModelText } from '../model-text.ts';
import { nameText, textUpTo } from '../text/text.ts';
import { Comparison, ComparisonEstimate, PromptText, promptLimit } from './comparisons.ts';
import { JudgingDraft } from './judging.ts';

export const testSetLimit = 20;
/** Questions per set: as many as a comparison has prompts. */
export const testQuestionLimit = promptLimit;
const testSetNameLimit = 100;
export const expectedLimit = 10_000;

const Name = nameText(testSetNameLimit, `Name cannot exceed ${testSetNameLimit} characters`, 'Name is required');
const Expected = textUpTo(expectedLimit, `An expected answer cannot exceed ${expectedLimit} characters`);

const testQuestionSources = ['typed', 'conversation', 'dataset'] as const;
export const TestQuestionSource = z.enum(testQuestionSources);
export type TestQuestionSource = z.output<typeof TestQuestionSource>;

export const TestQuestion = z.object({
  id: Id,
  source: TestQuestionSource,
  /** The conversation up to and including the question. */
  turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  /** The expected answer, which a judge reads. */
  expected: z.string().nullable(),
});
export type TestQuestion = z.output<typeof TestQuestion>;

/** Results of a run’s answers, each compared with its baseline. */
export const testResults = ['unchanged', 'better', 'worse', 'open', 'new', 'unanswered'] as const;
/**
 * `unchanged`: the same text except for whitespace, or a tie. `open`: the texts differ, and neither a vote nor a
 * verdict says which is better. `new`: there is no earlier answer. `unanswered`: not asked yet, or without a complete
 * answer.
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

/** One run of a set: a comparison of the kind `test`. */
export const TestRun = Comparison.extend({
  counts: TestCounts,
  /** A model is judging, or will be once all questions are asked. */
  isJudging: z.boolean(),
});
export type TestRun = z.output<typeof TestRun>;

export const TestSet = z.object({
  id: Id,
  assistant: z.object({ id: Id, name: z.string(), version: z.number().int(), model: z.string() }),
  name: z.string(),
  questions: z.number().int(),
  runs: z.number().int(),
  /** null: never run. */
  newestRun: TestRun.nullable(),
  createdAt: Time,
  updatedAt: Time,
});
export type TestSet = z.output<typeof TestSet>;

export const TestSetDetail = TestSet.extend({ items: z.array(TestQuestion) });
export type TestSetDetail = z.output<typeof TestSetDetail>;

const NewQuestion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('typed'), text: PromptText, expected: Expected.nullable().default(null) }),
  /** By its answer, with the conversation before it. */
  z.strictObject({ kind: z.literal('conversation'), answerId: Id }),
  /** With the example’s answer as the expected one. */
  z.strictObject({ kind: z.literal('dataset'), exampleId: Id }),
]);
/** A question of the set, possibly with other texts. */
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
// The maximum number of questions, with characters of any width.
const bodyLimit = 4 * 1024 * 1024;

const byId = z.strictObject({ id: PathId });
const version = z.number().int().min(1).max(1_000_000_000);

export const NewTestRun = z.strictObject({
  candidate: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('version'), version }),
    /** Unsaved changes to the current version. */
    z.strictObject({ kind: z.literal('draft'), changes: AssistantChanges }),
    /** The current version with another model. */
    z.strictObject({ kind: z.literal('model'), model: ModelText }),
  ]),
  baseline: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('nothing') }),
    /** The answers of this run. Questions that it did not answer are new. */
    z.strictObject({ kind: z.literal('run'), runId: Id }),
    /**
     * The newest answers of this version, which is asked where it has none. The baseline of a draft can only be the
     * current version.
     */
    z.strictObject({ kind: z.literal('version'), version }),
  ]),
  /** The judge of answers that differ; null: only the user judges. */
  judge: JudgingDraft.nullable().default(null),
});
export type NewTestRun = z.output<typeof NewTestRun>;

export const TestRunEstimate = ComparisonEstimate.extend({
  /** How many of the answers are the baseline’s. */
  baselineAnswers: z.number().int(),
  /** Earlier answers used for the baseline. */
  stored: z.number().int(),
  /** Questions without a baseline answer. */
  withoutBaseline: z.number().int(),
  /** The maximum: identical answers are not judged. null: no judge. */
  judge: ComparisonEstimate.nullable(),
});
export type TestRunEstimate = z.output<typeof TestRunEstimate>;

/** The source of a result: the texts themselves, the user’s vote, or a judge. */
export const TestResultBy = z.enum(['words', 'vote', 'judge']);
export type TestResultBy = z.output<typeof TestResultBy>;

export const TestSetChange = z.strictObject({
  name: Name.optional(),
  questions: questionsOf(TestQuestionDraft).optional(),
});

export const testSets = {
  list: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/test-sets',
    access: 'user',
    summary: `Lists the test sets of an assistant, newest first, each with its newest run; at most ${testSetLimit}.`,
    params: byId,
    output: z.object({ items: z.array(TestSet) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/test-sets',
    access: 'editor',
    rate: 'jobs',
    summary: 'Saves questions as a test set of an assistant. Nothing is sent.',
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
    summary: 'Returns one test set with its questions.',
    params: byId,
    output: TestSetDetail,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/test-sets/:id',
    access: 'editor',
    summary: 'Renames a test set or replaces its questions. Its runs stay unchanged.',
    params: byId,
    body: TestSetChange,
    bodyLimit,
    output: TestSetDetail,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/test-sets/:id',
    access: 'editor',
    summary: 'Deletes a test set with its runs and their answers. Their cost stays recorded.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  runs: endpoint({
    method: 'GET',
    path: '/api/test-sets/:id/runs',
    access: 'user',
    summary: 'Lists the runs of a test set with their results, newest first.',
    params: byId,
    query: z.strictObject({ limit: positiveInteger(20).default(10), cursor: PathId.optional() }),
    output: z.object({ items: z.array(TestRun), nextCursor: z.string().nullable() }),
  }),
  estimate: endpoint({
    method: 'POST',
    path: '/api/test-sets/:id/runs/estimate',
    access: 'editor',
    summary: 'Estimates the tokens and cost of a run. Nothing is stored or sent.',
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
    summary: 'Runs a test set and has the answers judged, in the background.',
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
    summary: 'Returns the result of each answer of a run. The answers are those of the comparison with the same id.',
    params: byId,
    output: z.object({
      set: z.object({ id: Id, name: z.string() }),
      run: TestRun,
      /** In the order of the prompts. `by`: null if there is no result. */
      items: z.array(z.object({ promptId: Id, result: TestResult, by: TestResultBy.nullable() })),
    }),
  }),
};
