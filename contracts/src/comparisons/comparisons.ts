import { z } from 'zod';
import { RunState, Usage } from '../chat.ts';
import { endpoint, Id, NoContent, PathId, Time, wholeNumber } from '../endpoint.ts';
import { RunError } from '../errors.ts';
import { ReasoningEffort } from '../models/models.ts';
import { requiredText, textUpTo } from '../text/text.ts';

/** In one comparison. */
export const promptLimit = 50;
export const PromptText = requiredText(10_000, 'A prompt cannot exceed 10000 characters', 'A prompt is required');
const ModelId = requiredText(200, 'Model cannot exceed 200 characters', 'Model is required').trim();

/** What is compared: two models, a draft of an assistant, an old model with its successor, or a test set's runs. */
export const comparisonKinds = ['models', 'draft', 'replay', 'test'] as const;
export const ComparisonKind = z.enum(comparisonKinds);
export type ComparisonKind = z.output<typeof ComparisonKind>;

/** The candidate is what is tried, the baseline what it is measured by. */
export const comparedSides = ['candidate', 'baseline'] as const;
export type ComparedSide = (typeof comparedSides)[number];

/** How one side is asked. */
export const ComparedSettings = z.object({
  /** What the side is called. */
  label: z.string(),
  model: z.string(),
  /** null: each prompt has its own. */
  instructions: z.string().nullable(),
  /** null: the model’s own default. Left out where the model is known to take none. */
  temperature: z.number().nullable(),
  effort: ReasoningEffort.nullable(),
  /** The form of the answers, as the text of a JSON schema; null: none. */
  responseSchema: z.string().nullable(),
  /** Of the assistant whose settings these are; null: of none, or not saved. */
  assistantVersion: z.number().int().nullable(),
});
export type ComparedSettings = z.output<typeof ComparedSettings>;

/** An answer of an earlier day that stands for the baseline's, which is not asked. */
export const StoredText = z.object({
  text: z.string(),
  model: z.string().nullable(),
  /** Of the assistant. */
  version: z.number().int().nullable(),
  createdAt: Time,
});
export type StoredText = z.output<typeof StoredText>;

export const votes = ['candidate', 'baseline', 'tie'] as const;
export const Vote = z.enum(votes);
export type Vote = z.output<typeof Vote>;

/** One side's answer. Its text is streamed by the run's events (`GET /api/runs/{id}/events`). */
export const ComparedAnswer = z.object({
  /** null: an earlier answer, which nobody was asked for here. */
  runId: Id.nullable(),
  state: RunState,
  text: z.string(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
  /** Of an earlier answer. */
  stored: StoredText.pick({ model: true, version: true }).nullable(),
});
export type ComparedAnswer = z.output<typeof ComparedAnswer>;

export const ComparisonPrompt = z.object({
  id: Id,
  /** What stands before the question, where the sides have no instructions of their own. */
  instructions: z.string(),
  /** The conversation up to the question, the question last. */
  turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  /** The answer that was wished for, where it is known. */
  expected: z.string().nullable(),
  /** null: not asked yet, or not at all. */
  candidate: ComparedAnswer.nullable(),
  baseline: ComparedAnswer.nullable(),
  /** false: there is no earlier answer, and none is asked for. */
  hasBaseline: z.boolean(),
  vote: Vote.nullable(),
  /** It will be asked, if asking is not stopped before. */
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
  /** `asking`: the open prompts are put to both sides, two answers at a time, until all have been asked. */
  state: z.enum(['idle', 'asking']),
  /** Why asking has stopped, or what it waits for while it goes on. */
  refusal: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: Time,
});
export type Comparison = z.output<typeof Comparison>;

/** What asking the open prompts will take, estimated. */
export const ComparisonEstimate = z.object({
  /** How many answers are to be written. */
  answers: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Of those with a price; null where none has one. */
  costUsd: z.number().nullable(),
  /** The models without a known price. */
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
    summary: 'The comparisons, the newest first.',
    query: z.strictObject({
      limit: wholeNumber(1, 100).default(20),
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
      'Prepares a comparison of two models, with prompts that are typed or taken from a file. Nothing is asked yet.',
    body: z.strictObject({
      candidateModel: ModelId,
      baselineModel: ModelId,
      /** null: each model’s own default. */
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
          /** A file in chat or preference format: evenly chosen lines of it. */
          fileId: Id.optional(),
          count: z
            .number()
            .int('The number of prompts is whole')
            .min(1, 'At least 1 prompt')
            .max(promptLimit, `At most ${promptLimit} prompts`)
            .default(10),
        })
        .refine(
          ({ typed, fileId }) => (typed === undefined) !== (fileId === undefined),
          'Enter prompts, or choose a file to take them from',
        ),
    }),
    // As many prompts as may be typed, with characters of any length.
    bodyLimit: 4 * 1024 * 1024,
    output: Comparison,
    status: 201,
  }),
  comparison: endpoint({
    method: 'GET',
    path: '/api/comparisons/:id',
    access: 'user',
    summary: 'One comparison with its prompts, answers and votes.',
    params: byId,
    output: Comparison.extend({ items: z.array(ComparisonPrompt) }),
  }),
  estimate: endpoint({
    method: 'GET',
    path: '/api/comparisons/:id/estimate',
    access: 'user',
    summary: 'What asking its open prompts will take, estimated.',
    params: byId,
    output: ComparisonEstimate,
  }),
  start: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/start',
    access: 'editor',
    rate: 'jobs',
    summary: 'Puts all open prompts to both sides, two answers at a time. It goes on without the page.',
    params: byId,
    body: z.strictObject({ overBudget: z.boolean().optional() }),
    output: Comparison,
    status: 202,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/stop',
    access: 'editor',
    summary: 'Asks no further prompts, and stops the answers that are being written.',
    params: byId,
    output: Comparison,
  }),
  ask: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/prompts/:promptId/ask',
    access: 'editor',
    rate: 'messages',
    summary: 'Asks both sides; what has been answered is asked anew only with `again`.',
    params: byPrompt,
    body: z.strictObject({ again: z.boolean().optional(), overBudget: z.boolean().optional() }),
    output: ComparisonPrompt,
    status: 202,
  }),
  vote: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/prompts/:promptId/vote',
    access: 'editor',
    summary: 'Says which answer is better; null takes it back.',
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
