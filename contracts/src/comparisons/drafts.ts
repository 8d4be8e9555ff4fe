import { z } from 'zod';
import { Assistant, AssistantChanges } from '../assistants/assistants.ts';
import { endpoint, Id, PathId, Time } from '../endpoint.ts';
import { requiredText } from '../text/text.ts';
import { Comparison } from './comparisons.ts';

export const draftQuestionLimit = 20;

/** Questions of a comparison of a draft. */
export const DraftQuestions = z
  .array(requiredText(10_000, 'A question cannot exceed 10000 characters', 'A question is required'))
  .min(1, 'Enter or choose at least one question')
  .max(draftQuestionLimit, `At most ${draftQuestionLimit} questions`);

/** A question that the user has asked an assistant in a conversation. */
export const EarlierQuestion = z.object({ messageId: Id, text: z.string(), createdAt: Time });
export type EarlierQuestion = z.output<typeof EarlierQuestion>;

const byId = z.strictObject({ id: PathId });

/** Compares a draft of an assistant with the saved version. */
export const draftComparisons = {
  questions: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/latest-questions',
    access: 'user',
    summary: `Lists the latest questions of the conversations with an assistant, each once, at most ${draftQuestionLimit}.`,
    params: byId,
    output: z.array(EarlierQuestion),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/comparisons',
    access: 'editor',
    rate: 'jobs',
    summary: 'Creates a comparison of unsaved changes with the current version. Nothing is sent yet.',
    params: byId,
    body: z.strictObject({
      changes: AssistantChanges,
      questions: DraftQuestions,
    }),
    // Imported instructions may be long.
    bodyLimit: 4 * 1024 * 1024,
    output: Comparison,
    status: 201,
  }),
  draft: endpoint({
    method: 'GET',
    path: '/api/comparisons/:id/draft',
    access: 'user',
    summary: 'Returns the changes that are compared, and the version they apply to.',
    params: byId,
    output: z.object({ assistantId: Id, version: z.number().int(), changes: AssistantChanges }),
  }),
  save: endpoint({
    method: 'POST',
    path: '/api/comparisons/:id/draft/save',
    access: 'editor',
    summary: 'Saves the changes that were compared, unless the assistant has changed since.',
    params: byId,
    output: Assistant,
  }),
};
