import { z } from 'zod';
import { apiEndpoint } from '../endpoint.ts';
import { ApiId, apiDeleted } from '../list.ts';
import { Metadata } from '../metadata.ts';
import { NewApiMessage } from './messages.ts';
import { NewToolResources, ToolResources } from './tools.ts';

export const newThreadMessageLimit = 100;

export const NewApiThread = z.strictObject({
  messages: z.array(NewApiMessage).max(newThreadMessageLimit).nullish(),
  metadata: Metadata.nullish(),
  tool_resources: NewToolResources.nullish(),
});
export type NewApiThread = z.output<typeof NewApiThread>;

export const ApiThread = z.object({
  id: z.string(),
  object: z.literal('thread'),
  created_at: z.number().int(),
  metadata: z.record(z.string(), z.string()),
  tool_resources: ToolResources,
});
export type ApiThread = z.output<typeof ApiThread>;

const byId = z.strictObject({ id: ApiId });
const common = { right: 'chat', keepsTexts: true, isBeta: true } as const;

export const apiThreads = {
  create: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads',
    summary:
      'Creates a thread, with or without messages. Pages show it as a conversation, with the name of its access token.',
    body: NewApiThread,
    output: ApiThread,
    bodyLimit: 8 * 1024 * 1024,
  }),
  get: apiEndpoint({
    ...common,
    method: 'GET',
    path: '/v1/threads/:id',
    summary: 'Returns one thread.',
    params: byId,
    output: ApiThread,
  }),
  modify: apiEndpoint({
    ...common,
    method: 'POST',
    path: '/v1/threads/:id',
    summary: 'Changes the metadata of a thread and the resources that its tools may use.',
    params: byId,
    body: z.strictObject({ metadata: Metadata.nullish(), tool_resources: ToolResources.nullish() }),
    output: ApiThread,
  }),
  remove: apiEndpoint({
    ...common,
    method: 'DELETE',
    path: '/v1/threads/:id',
    summary: 'Deletes a thread with its messages and stops its run.',
    params: byId,
    output: apiDeleted('thread.deleted'),
  }),
};
