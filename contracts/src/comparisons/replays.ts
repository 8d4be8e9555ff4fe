import { z } from 'zod';
import { UnsupportedSetting } from '../assistants/model-migrations.ts';
import { endpoint, Id, PathId, Time } from '../endpoint.ts';
import { requiredText } from '../text/text.ts';
import { Comparison } from './comparisons.ts';

/** In one replay. */
export const replayQuestionLimit = 20;
/** So many are offered to choose from. */
export const offeredQuestionLimit = 50;
/** What goes before a question of its conversation: at most so many tokens, estimated. */
export const replayTokenLimit = 16_000;

const ModelName = requiredText(200, 'Model cannot exceed 200 characters', 'Model is required').trim();
const byAssistant = z.strictObject({ id: PathId });

/** A question that an assistant has answered. */
export const AskedQuestion = z.object({
  /** The answer, by which the question is chosen. */
  answerId: Id,
  /** The beginning of the question. */
  text: z.string(),
  /** Of its conversation. */
  title: z.string(),
  /** How many messages come before it. */
  earlier: z.number().int(),
  /** How many files are attached to it; they are not asked with. */
  files: z.number().int(),
  byProgram: z.boolean(),
  /** Of the answer. */
  createdAt: Time,
});
export type AskedQuestion = z.output<typeof AskedQuestion>;

export const Replay = z.object({
  comparison: Comparison,
  /** What of the assistant the new model does not take. */
  notTaken: z.array(UnsupportedSetting),
  /** Earlier messages that were too much to be asked with, and files that were left out. */
  messagesLeftOut: z.number().int(),
  filesLeftOut: z.number().int(),
});
export type Replay = z.output<typeof Replay>;

export const replays = {
  questions: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/questions',
    access: 'user',
    summary:
      'The newest questions that an assistant has answered, each once: at most 50, of the 500 newest conversations.',
    params: byAssistant,
    query: z.strictObject({
      /** Those that this model has answered; of all models where none is named. */
      model: ModelName.optional(),
      /** Those in conversations that programs have made, too. */
      programs: z.enum(['true', 'false']).default('false'),
    }),
    output: z.object({ items: z.array(AskedQuestion) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/replays',
    access: 'editor',
    rate: 'jobs',
    summary:
      'Prepares a comparison of an assistant with its old and a new model, on questions that it has answered. Nothing is asked yet.',
    params: byAssistant,
    body: z.strictObject({
      fromModel: ModelName,
      toModel: ModelName,
      answerIds: z
        .array(Id)
        .min(1, 'Please select at least one question')
        .max(replayQuestionLimit, `At most ${replayQuestionLimit} questions can be replayed`),
      /** The answers of then, or new ones. */
      baseline: z.enum(['stored', 'asked']).default('stored'),
    }),
    output: Replay,
    status: 201,
  }),
};
