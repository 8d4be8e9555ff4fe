import { z } from 'zod';
import { RunState, Usage } from '../chat.ts';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { RunError } from '../errors.ts';
import { requiredText } from '../text/text.ts';
import { ComparisonEstimate, Vote } from './comparisons.ts';

/** Of one comparison. */
export const judgingLimit = 10;
export const criteriaLimit = 4_000;

const JudgeModel = requiredText(200, 'Model cannot exceed 200 characters', 'Model is required').trim();
const Criteria = requiredText(
  criteriaLimit,
  `Criteria cannot exceed ${criteriaLimit} characters`,
  'Say what makes an answer better',
).trim();

/** Who judges, and by what. */
export const JudgingDraft = z.strictObject({ model: JudgeModel, criteria: Criteria });
export type JudgingDraft = z.output<typeof JudgingDraft>;

/** What the judge says, asked for one order of the two answers. */
export const JudgeAnswer = z.object({
  runId: Id,
  state: RunState,
  text: z.string(),
  /** The side that it chose; null: it has not answered, or its answer cannot be read. */
  choice: Vote.nullable(),
  reason: z.string().nullable(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
});
export type JudgeAnswer = z.output<typeof JudgeAnswer>;

/**
 * `position`: the judge chose otherwise when the answers came in the other order, which counts as a tie. `unreadable`: it
 * answered, but in one order or both its choice cannot be read.
 */
export const outcomes = [...Vote.options, 'position', 'unreadable'] as const;
export const Outcome = z.enum(outcomes);
export type Outcome = z.output<typeof Outcome>;

export const Verdict = z.object({
  promptId: Id,
  /** null: there is none yet, or the judge did not answer. */
  outcome: Outcome.nullable(),
  /** An answer was asked for again since: the verdict is of another one, and counts no more. */
  isStale: z.boolean(),
  /** The judge will be asked, if judging is not stopped before. */
  isDue: z.boolean(),
  /** By the answer that was read first. */
  candidateFirst: JudgeAnswer.nullable(),
  baselineFirst: JudgeAnswer.nullable(),
});
export type Verdict = z.output<typeof Verdict>;

/** A model that was asked to say which answers of a comparison are better. */
export const Judging = z.object({
  id: Id,
  model: z.string(),
  /** In the words of whoever asked. */
  criteria: z.string(),
  /** `asking`: the judge is asked for one prompt after the other, in both orders. */
  state: z.enum(['idle', 'asking']),
  /** It begins by itself when the prompts have been asked. */
  follows: z.boolean(),
  /** Why judging has stopped, or what it waits for while it goes on. */
  refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: Time,
});
export type Judging = z.output<typeof Judging>;

export const JudgingDetail = Judging.extend({
  verdicts: z.array(Verdict),
  /** `position` is a part of `tie`. */
  tally: z.object({
    candidate: z.number().int(),
    baseline: z.number().int(),
    tie: z.number().int(),
    position: z.number().int(),
    unreadable: z.number().int(),
  }),
  /** With the votes of the person, where both have one: so many are the same. */
  agreement: z.object({ same: z.number().int(), of: z.number().int() }),
  /** Prompts that starting it would judge: not judged, cut off, or with an answer that has changed. */
  open: z.number().int(),
  /** What that would take. */
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
    summary: 'The judgings of a comparison, the newest first.',
    params: byComparison,
    output: z.object({ items: z.array(Judging) }),
  }),
  judging: endpoint({
    method: 'GET',
    path: `${path}/:judgingId`,
    access: 'user',
    summary: 'One judging with its verdicts, and how far they agree with the votes.',
    params: byJudging,
    output: JudgingDetail,
  }),
  estimate: endpoint({
    method: 'POST',
    path: `${path}/estimate`,
    access: 'editor',
    summary: 'What judging all answered prompts will take, estimated: each is asked in both orders.',
    params: byComparison,
    body: JudgingDraft,
    output: ComparisonEstimate,
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'editor',
    rate: 'jobs',
    summary: 'Has a model judge all answered prompts by criteria in plain words. It goes on without the page.',
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
    summary: 'Judges what is not judged yet, was cut off, or has changed since.',
    params: byJudging,
    body: z.strictObject({ overBudget: z.boolean().optional() }),
    output: Judging,
    status: 202,
  }),
  stop: endpoint({
    method: 'POST',
    path: `${path}/:judgingId/stop`,
    access: 'editor',
    summary: 'Judges no further prompts, and stops what the judge is writing.',
    params: byJudging,
    output: Judging,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:judgingId`,
    access: 'editor',
    summary: 'Deletes a judging with its verdicts. What it has cost stays recorded.',
    params: byJudging,
    output: NoContent,
    status: 204,
  }),
};
