import { z } from 'zod';
import { Message, summaryLimit } from './chat.ts';
import { endpoint, Id, NoContent, PathId } from './endpoint.ts';
import { requiredText } from './text/text.ts';

/** The share of a model’s context from which on earlier messages are summarized. */
export const nearlyFull = 0.8;

const byId = z.strictObject({ id: PathId });

export const summaries = {
  create: endpoint({
    method: 'POST',
    path: '/api/threads/:id/summary',
    access: 'user',
    rate: 'messages',
    summary:
      'Summarizes the earlier messages of a conversation with its model, in the background. Models then get the summary instead of them; the messages stay.',
    params: byId,
    body: z.strictObject({
      /** Summarizes what comes before this question; left out: before the last question of the shown branch. */
      before: Id.optional(),
      overBudget: z.boolean().optional(),
    }),
    /** The last of the summarized messages. */
    output: Message,
    status: 202,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/messages/:id/summary',
    access: 'user',
    summary: 'Changes the text of a summary.',
    params: byId,
    body: z.strictObject({
      text: requiredText(summaryLimit, 'A summary cannot exceed 20000 characters', 'The summary is empty'),
    }),
    output: Message,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/messages/:id/summary',
    access: 'user',
    summary: 'Removes a summary: models get the messages again.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
};
