import { z } from 'zod';
import { AttachedFile, MessageDraft } from './chat.ts';
import { endpoint, Id, NoContent, PathId, Time } from './endpoint.ts';

/**
 * Why a message is not sent by itself. `stopped`, `failed`: the answer before it was. `choice`: one of several answers
 * has to be chosen first. `over_budget`, `refused`: it could not be sent. `editing`: somebody is editing it.
 */
export const HeldReason = z.enum(['stopped', 'failed', 'choice', 'over_budget', 'refused', 'editing']);
export type HeldReason = z.output<typeof HeldReason>;

/** A message that is sent when the answer being written has ended. */
export const QueuedMessage = z.object({
  id: Id,
  threadId: Id,
  text: z.string(),
  files: z.array(AttachedFile),
  /** The models that will answer side by side; empty: the conversation’s own. */
  models: z.array(z.string()),
  /** null: it is sent by itself. */
  held: HeldReason.nullable(),
  /** Why it could not be sent, in words; null: `held` says enough. */
  problem: z.string().nullable(),
  createdAt: Time,
});
export type QueuedMessage = z.output<typeof QueuedMessage>;

const byId = z.strictObject({ id: PathId });
const { message, fileIds } = MessageDraft.shape;
/** In the order in which they are sent. */
const Queue = z.object({ items: z.array(QueuedMessage) });

export const messageQueue = {
  list: endpoint({
    method: 'GET',
    path: '/api/threads/:id/queue',
    access: 'user',
    summary: 'Lists the waiting messages of a conversation, in the order they will be sent.',
    params: byId,
    output: Queue,
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/threads/:id/queue',
    access: 'user',
    rate: 'messages',
    summary: 'Queues a message to be sent once the answer in progress has ended; at once if there is none.',
    params: byId,
    body: MessageDraft.omit({ parentId: true }),
    output: Queue,
    status: 202,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/queued-messages/:id',
    access: 'user',
    summary: 'Changes a waiting message. While `editing` is true, it is not sent by itself.',
    params: byId,
    body: z.strictObject({ message: message.optional(), fileIds, editing: z.boolean().optional() }),
    output: QueuedMessage,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/queued-messages/:id',
    access: 'user',
    summary: 'Removes a waiting message.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  send: endpoint({
    method: 'POST',
    path: '/api/queued-messages/:id/send',
    access: 'user',
    rate: 'messages',
    summary: 'Sends a waiting message now: stops the answer in progress and continues with this message.',
    params: byId,
    body: z.strictObject({ overBudget: z.boolean().optional() }),
    output: Queue,
  }),
};
