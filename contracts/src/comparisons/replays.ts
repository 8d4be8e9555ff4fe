import { z } from 'zod';
import { UnsupportedSetting } from '../assistants/model-migrations.ts';
import { endpoint, Id, PathId, Time } from '../endpoint.ts';
import { ModelText } from '../model-text.ts';
import { Comparison } from './comparisons.ts';

export const replayQuestionLimit = 20;

const byAssistant = z.strictObject({ id: PathId });

/** A question that an assistant has answered. */
export const ReplayableQuestion = z.object({
  /** The answer’s id, by which the question is chosen. */
  answerId: Id,
  /** The beginning of the question. */
  text: z.string(),
  /** The title of its conversation. */
  title: z.string(),
  /** Messages before it. */
  earlier: z.number().int(),
  /** Files attached to it, which are not sent. */
  files: z.number().int(),
  byProgram: z.boolean(),
  /** The time of the answer. */
  createdAt: Time,
});
export type ReplayableQuestion = z.output<typeof ReplayableQuestion>;

export const Replay = z.object({
  comparison: Comparison,
  /** Settings of the assistant that the new model does not accept. */
  notTaken: z.array(UnsupportedSetting),
  /** Earlier messages that did not fit, and files that were left out. */
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
      'Lists the newest questions that an assistant has answered, each once: at most 50, from the 500 newest conversations.',
    params: byAssistant,
    query: z.strictObject({
      /** Questions that this model has answered; left out: any model. */
      model: ModelText.optional(),
      /** Includes conversations created by API clients. */
      programs: z.enum(['true', 'false']).default('false'),
    }),
    output: z.object({ items: z.array(ReplayableQuestion) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/replays',
    access: 'editor',
    rate: 'jobs',
    summary:
      'Creates a comparison of an assistant’s old model with a new one, on questions that it has answered. Nothing is sent yet.',
    params: byAssistant,
    body: z.strictObject({
      fromModel: ModelText,
      toModel: ModelText,
      answerIds: z
        .array(Id)
        .min(1, 'Please select at least one question')
        .max(replayQuestionLimit, `At most ${replayQuestionLimit} questions can be replayed`),
      /** `stored`: the earlier answers. `asked`: new ones. */
      baseline: z.enum(['stored', 'asked']).default('stored'),
    }),
    output: Replay,
    status: 201,
  }),
};
