import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from './endpoint.ts';

/** Days after which a conversation in the trash is permanently deleted. */
export const trashDays = 30;
/** Conversations that one call can change. */
export const bulkLimit = 500;

const byId = z.strictObject({ id: PathId });

export const TrashedThread = z.object({
  id: Id,
  title: z.string(),
  archived: z.boolean(),
  /** The name of the access token that created it; null: its owner did. */
  madeBy: z.string().nullable(),
  deletedAt: Time,
  /** When it is permanently deleted. */
  endsAt: Time,
});
export type TrashedThread = z.output<typeof TrashedThread>;

export const BulkAction = z.enum(['archive', 'unarchive', 'delete', 'restore']);
export type BulkAction = z.output<typeof BulkAction>;

export const trash = {
  list: endpoint({
    method: 'GET',
    path: '/api/trash',
    access: 'user',
    summary: 'Lists the conversations in the trash, last deleted first, and their number.',
    query: z.strictObject({ limit: positiveInteger(100).default(50), cursor: z.string().max(200).optional() }),
    output: z.object({ items: z.array(TrashedThread), count: z.number().int(), nextCursor: z.string().nullable() }),
  }),
  find: endpoint({
    method: 'GET',
    path: '/api/trash/:id',
    access: 'user',
    summary: 'Returns one conversation in the trash.',
    params: byId,
    output: TrashedThread,
  }),
  restore: endpoint({
    method: 'POST',
    path: '/api/trash/:id/restore',
    access: 'user',
    summary: 'Restores a conversation from the trash.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/trash/:id',
    access: 'user',
    summary: 'Deletes a conversation in the trash permanently.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  empty: endpoint({
    method: 'DELETE',
    path: '/api/trash',
    access: 'user',
    summary: 'Empties the trash in the background, and returns the number of conversations.',
    output: z.object({ deleted: z.number().int() }),
  }),
  change: endpoint({
    method: 'POST',
    path: '/api/threads/bulk',
    access: 'user',
    summary:
      'Archives, unarchives, deletes or restores several conversations. Returns which were changed and which do not exist.',
    body: z.strictObject({
      ids: z
        .array(Id)
        .min(1, 'Choose at least one conversation')
        .max(bulkLimit, `Choose at most ${bulkLimit} conversations`),
      action: BulkAction,
    }),
    output: z.object({ changed: z.array(Id), missing: z.array(Id) }),
  }),
};
