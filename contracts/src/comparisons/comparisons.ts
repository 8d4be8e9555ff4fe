import { z } from 'zod';
import { RunState, Usage } from '../chat.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { RunError } from '../errors.ts';
import { ModelText } from '../model-text.ts';
import { ReasoningEffort } from '../models/models.ts';
import { requiredText, textUpTo } from '../text/text.ts';

export const promptLimit = 50;
export const PromptText = requiredText(10_000, 'A prompt cannot exceed 10000 characters', 'A prompt is required');

/**
 * `models`: two models. `draft`: a draft of an assistant. `replay`: an old model and its successor. `test`: a test
 * set’s runs.
 */
const comparisonKinds = ['models', 'draft', 'replay', 'test'] as const;
export const ComparisonKind = z.enum(comparisonKinds);
export type ComparisonKind = z.output<typeof ComparisonKind>;

/** The candidate is tested against the baseline. */
const comparedSides = ['candidate', 'baseline'] as const;
export type ComparedSide = (typeof comparedSides)[number];

export const ComparedSettings = z.object({
  label: z.string(),
  model: z.string(),
  /** null: each prompt has its own. */
  instructions: z.string().nullable(),
  /** null: the model’s default, or the model is known to accept none. */
  temperature: z.number().nullable(),
  effort: ReasoningEffort.nullable(),
  /** A JSON schema for answers, as text; null: none. */
  responseSchema: z.string().nullable(),
  /** The version of the assistant with these settings; null: no assistant, or not saved. */
  assistantVersion: z.number().int().nullable(),
});
export type ComparedSettings = z.output<typeof ComparedSettings>;

/** An earlier answer used for the baseline, which is not asked again. */
export const StoredText = z.object({
  text: z.string(),
  model: z.string().nullable(),
  /** The assistant’s version. */
  version: z.number().int().nullable(),
  createdAt: Time,
});
export type StoredText = z.output<typeof StoredText>;

const votes = ['candidate', 'baseline', 'tie'] as const;
export const Vote = z.enum(votes);
export type Vote = z.output<typeof Vote>;

/** One side’s answer. Its text is streamed by the run’s events (`GET /api/runs/{id}/events`). */
export const ComparedAnswer = z.object({
  /** null: an earlier answer, without a run here. */
  runId: Id.nullable(),
  state: RunState,
  text: z.string(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
  /** For an earlier answer. */
  stored: StoredText.pick({ model: true, version: true }).nullable(),
});
export type ComparedAnswer = z.output<typeof ComparedAnswer>;

export const ComparisonPrompt = z.object({
  id: Id,
  /** Instructions before the question, if the sides have none of their own. */
  instructions: z.string(),
  /** The conversation up to and including the question. */
  turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  /** The desired answer, if known. */
  expected: z.string().nullable(),
  /** null: not asked yet, or never. */
  candidate: ComparedAnswer.nullable(),
  baseline: ComparedAnswer.nullable(),
  /** false: there is no earlier answer and none will be requested. */
  hasBaseline: z.boolean(),
  vote: Vote.nullable(),
  /** Will be asked unless asking is stopped first. */
  isDue: z.boolean(),
});
export type ComparisonPrompt = z.output<typeof ComparisonPrompt>;

export const Comparison = z.object({
  id: Id,
  kind: ComparisonKind,
  title: z.string(),
  assistant: z.object({ id: Id, name: z.string() }).nullable(),
  /** null: only the candidate is asked. */
  baseline: ComparedSettings.nullable(),
  candidate: ComparedSettings,
  prompts: z.number().int(),
  answered: z.number().int(),
  tally: z.object({ candidate: z.number().int(), baseline: z.number().int(), tie: z.number().int() }),
  /** `asking`: both sides are asked the open prompts, two answers at a time, until all are done. */
  state: z.enum(['idle', 'asking']),
  /** Why asking has stopped, or what it is waiting for. */
  refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: Time,
});
export type Comparison = z.output<typeof Comparison>;

export const ComparisonEstimate = z.object({
  /** The number of answers to write. */
  answers: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Covers models with a price; null: none has one. */
  costUsd: z.number().nullable(),
  unpriced: z.array(z.string()),
});
export type ComparisonEstimate = z.output<typeof ComparisonEstimate>;

const byId = z.strictObject({ id: PathId });
const byPrompt = z.strictObject({ id: PathId, promptId: PathId });

export const comparisons = {
  list: endpoint({
    method: 'GET',
    path: '/api/comparisons',
    access: 'user',
    summary: 'Lists the comparisons, newest first.',
    query: z.strictObject({
      limit: positiveInteger(100).default(20),
      cursor: PathId.optional(),
      kind: ComparisonKind.optional(),
    }),
    output: z.object({ items: z.array(Comparison), nextCursor: z.string().nullable() }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/comparisons',
    access: 'editor',
    rate: 'jobs',
    summary:
      'Creates a comparison of two models, with prompts that are typed or taken from a file. Nothing is sent yet.',
    body: z.strictObject({
      candidateModel: ModelText,
      baselineModel: ModelText,
      /** null: each model’s default. */
      temperature: z.number().min(0).max(2).nullable().default(null),
      /** For typed prompts. */
      instructions: textUpTo(10_000, 'Instructions cannot exceed 10000 characters').default(''),
      /** Either typed or from a file. */
      prompts: z
        .strictObject({
          typed: z
            .array(PromptText)
            .min(1, 'Enter at least one prompt')
            .max(promptLimit, `At most ${promptLimit} prompts`)
            .optional(),
          /** A file in chat or preference format, from which evenly spaced lines are taken. */
          fileId: Id.optional(),
          count: z
            .number()
            .int('The number of prompts must be a whole number')
            .min(1, 'At least 1 prompt')
            .max(promptLimit, `At most ${promptLimit} prompts`)
            .default(10),
        })
        .refine(
          ({ typed, fileId }) => (typed === undefined) !== (fileId === undefined),
          'Enter prompts, or choose a file to take them from',
        ),
    }),
    // The maximum number of prompts, with characters of any width.
    bodyLimit: 4 * 1024 * 1024,
    output: Comparison,
    status: 201,
  }),
  comparison: endpoint({
    method: 'GET',
    path: '/api/comparisons/:id',
    access: 'user',
    summary: 'Returns one comparison with its prompts, answers and votes.',
    params: byId,
    output: Comparison.extend({ items: z.array(ComparisonPrompt) }),
  }),
  estimate: endpoint({
    method: 'GET',
    path: '/api/comparisons/:id/estimate',
    access: 'user',
    summary: 'Estimates the tokens and cost of the open prompts.',
    params: byId,
    output: ComparisonEstimate,
  }),
  start: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/start',
    access: 'editor',
    rate: 'jobs',
    summary: 'Sends all open prompts to both sides, two answers at a time, in the background.',
    params: byId,
    body: z.strictObject({ overBudget: z.boolean().optional() }),
    output: Comparison,
    status: 202,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/stop',
    access: 'editor',
    summary: 'Stops a comparison: no further prompts are sent, and answers in progress end.',
    params: byId,
    output: Comparison,
  }),
  ask: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/prompts/:promptId/ask',
    access: 'editor',
    rate: 'messages',
    summary: 'Asks both sides; questions that have been answered are asked again only with `again`.',
    params: byPrompt,
    body: z.strictObject({ again: z.boolean().optional(), overBudget: z.boolean().optional() }),
    output: ComparisonPrompt,
    status: 202,
  }),
  vote: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/prompts/:promptId/vote',
    access: 'editor',
    summary: 'Votes for the better answer; null removes the vote.',
    params: byPrompt,
    body: z.strictObject({ vote: Vote.nullable() }),
    output: ComparisonPrompt,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/comparisons/:id',
    access: 'editor',
    summary: 'Deletes a comparison with its answers.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
};
