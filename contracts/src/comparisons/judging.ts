import { z } from 'zod';
import { RunState, Usage } from '../chat.ts';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { RunError } from '../errors.ts';
import { ModelText } from '../model-text.ts';
import { requiredText } from '../text/text.ts';
import { ComparisonEstimate, Vote } from './comparisons.ts';

export const judgingLimit = 10;
export const criteriaLimit = 4_000;

export const Criteria = requiredText(
  criteriaLimit,
  `Criteria cannot exceed ${criteriaLimit} characters`,
  'Enter what makes an answer better',
).trim();

export const JudgingDraft = z.strictObject({ model: ModelText, criteria: Criteria });
export type JudgingDraft = z.output<typeof JudgingDraft>;

/** The judge’s answer for one order of the two answers. */
export const JudgeAnswer = z.object({
  runId: Id,
  state: RunState,
  text: z.string(),
  /** The side it chose; null: it has not answered, or its answer cannot be read. */
  choice: Vote.nullable(),
  reason: z.string().nullable(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
});
export type JudgeAnswer = z.output<typeof JudgeAnswer>;

/**
 * `position`: the judge chose differently with the answers in the other order, which counts as a tie. `unreadable`: it
 * answered, but its choice cannot be read in one order or both.
 */
const outcomes = [...Vote.options, 'position', 'unreadable'] as const;
export const Outcome = z.enum(outcomes);
export type Outcome = z.output<typeof Outcome>;

export const Verdict = z.object({
  promptId: Id,
  /** null: no verdict yet, or the judge did not answer. */
  outcome: Outcome.nullable(),
  /** An answer was regenerated since, so the verdict no longer counts. */
  isStale: z.boolean(),
  /** The judge will be asked unless judging is stopped first. */
  isDue: z.boolean(),
  /** Named by the answer that the judge read first. */
  candidateFirst: JudgeAnswer.nullable(),
  baselineFirst: JudgeAnswer.nullable(),
});
export type Verdict = z.output<typeof Verdict>;

export const Judging = z.object({
  id: Id,
  model: z.string(),
  /** In the words of the user who started it. */
  criteria: z.string(),
  /** `asking`: the judge is asked for one prompt after another, in both orders. */
  state: z.enum(['idle', 'asking']),
  /** Starts by itself once the prompts have been asked. */
  follows: z.boolean(),
  /** Why judging has stopped, or what it is waiting for. */
  refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: Time,
});
export type Judging = z.output<typeof Judging>;

export const JudgingDetail = Judging.extend({
  verdicts: z.array(Verdict),
  /** `position` is part of `tie`. */
  tally: z.object({
    candidate: z.number().int(),
    baseline: z.number().int(),
    tie: z.number().int(),
    position: z.number().int(),
    unreadable: z.number().int(),
  }),
  /** How many verdicts match the user’s votes, of those prompts that have both. */
  agreement: z.object({ same: z.number().int(), of: z.number().int() }),
  /** Prompts that a start would judge: not judged, cut off, or with a changed answer. */
  open: z.number().int(),
  estimate: ComparisonEstimate,
});
export type JudgingDetail = z.output<typeof JudgingDetail>;

const byComparison = z.strictObject({ id: PathId });
const byJudging = z.strictObject({ id: PathId, judgingId: PathId });
const path = '/api/comparisons/:id/judgings' as const;

export const comparisonJudging = {
  list: endpoint({
    method: 'GET',
    path,
    access: 'user',
    summary: 'Lists the judgments of a comparison, newest first.',
    params: byComparison,
    output: z.object({ items: z.array(Judging) }),
  }),
  judging: endpoint({
    method: 'GET',
    path: `${path}/:judgingId`,
    access: 'user',
    summary: 'Returns a judgment with its verdicts, and how often they agree with the votes.',
    params: byJudging,
    output: JudgingDetail,
  }),
  estimate: endpoint({
    method: 'POST',
    path: `${path}/estimate`,
    access: 'editor',
    summary: 'Estimates the tokens and cost of judging all answered prompts, each in both orders.',
    params: byComparison,
    body: JudgingDraft,
    output: ComparisonEstimate,
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'editor',
    rate: 'jobs',
    summary: 'Has a model judge all answered prompts by criteria in plain words, in the background.',
    params: byComparison,
    body: JudgingDraft.extend({ overBudget: z.boolean().optional() }),
    output: Judging,
    status: 201,
  }),
  start: endpoint({
    method: 'POST',
    path: `${path}/:judgingId/start`,
    access: 'editor',
    rate: 'jobs',
    summary: 'Continues a judgment with prompts that were not judged, were cut off, or have changed since.',
    params: byJudging,
    body: z.strictObject({ overBudget: z.boolean().optional() }),
    output: Judging,
    status: 202,
  }),
  stop: endpoint({
    method: 'POST',
    path: `${path}/:judgingId/stop`,
    access: 'editor',
    summary: 'Stops a judgment: no further prompts are judged.',
    params: byJudging,
    output: Judging,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:judgingId`,
    access: 'editor',
    summary: 'Deletes a judgment with its verdicts. Its cost stays recorded.',
    params: byJudging,
    output: NoContent,
    status: 204,
  }),
};
