import { z } from 'zod';
import { RunState, Usage } from '../chat.ts';
import { endpoint, Id, NoContent, PathId, Time, wholeNumber } from '../endpoint.ts';
import { RunError } from '../errors.ts';
import { requiredText, textUpTo } from '../text.ts';

/** In one comparison. */
export const promptLimit = 50;
const PromptText = requiredText(10_000, 'A prompt cannot exceed 10000 characters', 'A prompt is required');
const ModelId = requiredText(200, 'Model cannot exceed 200 characters', 'Model is required').trim();

export const votes = ['tuned', 'base', 'tie'] as const;
export const Vote = z.enum(votes);
export type Vote = z.output<typeof Vote>;

/** One model's answer. Its text is streamed by the run's events (`GET /api/runs/{id}/events`). */
export const ComparedAnswer = z.object({
  runId: Id,
  state: RunState,
  text: z.string(),
  usage: Usage.nullable(),
  error: RunError.nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
});
export type ComparedAnswer = z.output<typeof ComparedAnswer>;

export const ComparisonPrompt = z.object({
  id: Id,
  /** What stands before the question: the instructions and turns of a line of the validation file. */
  instructions: z.string(),
  /** The conversation up to the question, the question last. */
  turns: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  /** What the validation file has as the answer; null for a typed prompt. */
  expected: z.string().nullable(),
  /** null: not asked yet. */
  tuned: ComparedAnswer.nullable(),
  base: ComparedAnswer.nullable(),
  vote: Vote.nullable(),
});
export type ComparisonPrompt = z.output<typeof ComparisonPrompt>;

export const Comparison = z.object({
  id: Id,
  tunedModel: z.string(),
  baseModel: z.string(),
  temperature: z.number().nullable(),
  prompts: z.number().int(),
  answered: z.number().int(),
  tally: z.object({ tuned: z.number().int(), base: z.number().int(), tie: z.number().int() }),
  createdAt: Time,
});
export type Comparison = z.output<typeof Comparison>;

const byId = z.strictObject({ id: PathId });
const byPrompt = z.strictObject({ id: PathId, promptId: PathId });

export const comparisons = {
  list: endpoint({
    method: 'GET',
    path: '/api/fine-tuning/comparisons',
    access: 'user',
    summary: 'The comparisons, the newest first.',
    query: z.strictObject({
      limit: wholeNumber(1, 100).default(20),
      cursor: PathId.optional(),
    }),
    output: z.object({ items: z.array(Comparison), nextCursor: z.string().nullable() }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/comparisons',
    access: 'editor',
    rate: 'jobs',
    summary:
      'Prepares a comparison of two models, with prompts that are typed or taken from a file. Nothing is asked yet.',
    body: z.strictObject({
      tunedModel: ModelId,
      baseModel: ModelId,
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
    path: '/api/fine-tuning/comparisons/:id',
    access: 'user',
    summary: 'One comparison with its prompts, answers and votes.',
    params: byId,
    output: Comparison.extend({ items: z.array(ComparisonPrompt) }),
  }),
  ask: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/comparisons/:id/prompts/:promptId/ask',
    access: 'editor',
    rate: 'messages',
    summary: 'Asks both models; what has been answered is asked anew only with `again`.',
    params: byPrompt,
    body: z.strictObject({ again: z.boolean().optional(), overBudget: z.boolean().optional() }),
    output: ComparisonPrompt,
    status: 202,
  }),
  vote: endpoint({
    method: 'POST',
    path: '/api/fine-tuning/comparisons/:id/prompts/:promptId/vote',
    access: 'editor',
    summary: 'Says which answer is better; null takes it back.',
    params: byPrompt,
    body: z.strictObject({ vote: Vote.nullable() }),
    output: ComparisonPrompt,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/fine-tuning/comparisons/:id',
    access: 'editor',
    summary: 'Deletes a comparison with its answers.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
};
