import { z } from 'zod';
import { Thread } from './chat.ts';
import { endpoint, NoContent, PathId } from './endpoint.ts';

const byId = z.strictObject({ id: PathId });

export const temporaryThreads = {
  keep: endpoint({
    method: 'POST',
    path: '/api/threads/:id/keep',
    access: 'user',
    summary: 'Keeps a temporary conversation: lists and searches show it from now on.',
    params: byId,
    output: Thread,
  }),
  leave: endpoint({
    method: 'POST',
    path: '/api/threads/:id/leave',
    access: 'user',
    summary: 'Deletes a temporary conversation in two minutes, unless it is opened again: a reload must not lose it.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  reopen: endpoint({
    method: 'POST',
    path: '/api/threads/:id/reopen',
    access: 'user',
    summary: 'Reopens a temporary conversation that was left less than two minutes ago.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
};
