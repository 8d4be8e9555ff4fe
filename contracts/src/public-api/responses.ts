import { z } from 'zod';
import { apiEndpoint } from './endpoint.ts';
import { ApiId, apiDeleted, apiList, apiPage } from './list.ts';
import { Metadata } from './metadata.ts';

/** An item that a model reads or writes: a message, a function call, its output, reasoning … */
export const ResponseItem = z.looseObject({ type: z.string().min(1).max(100).optional() });
export type ResponseItem = z.output<typeof ResponseItem>;

/** Items of one request; together with earlier responses there can be more. */
const maxItems = 2_000;

/** The fields that Roster reads; every other field is passed to the provider unchanged. */
export const ResponseRequest = z.looseObject({
  /** A model of the provider, or an assistant: `asst_…` or `name@roster`. */
  model: z
    .string()
    .min(1)
    .max(600)
    .refine((name) => name.isWellFormed() && !name.includes('\0'), 'This is not the name of a model.'),
  input: z.union([z.string(), z.array(ResponseItem).max(maxItems)], {
    error: `This field must be a string or a list of up to ${maxItems} items.`,
  }),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  /** Stored for 30 days unless false. */
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: ApiId.nullish(),
  metadata: Metadata.nullish(),
  conversation: z
    .null({ error: 'Roster stores no conversations for programs. Continue from a response with previous_response_id.' })
    .optional(),
});
export type ResponseRequest = z.output<typeof ResponseRequest>;

const responseStates = ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] as const;
export type ResponseState = (typeof responseStates)[number];

/** A response object, including further fields of the provider. */
const ApiResponse = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  status: z.enum(responseStates),
  model: z.string(),
  output: z.array(z.unknown()),
});

const ById = z.strictObject({ id: ApiId });
/** Optional parts of the provider’s response; a stored response is returned whole. */
const include = z.union([z.string(), z.array(z.string())]).optional();

export const apiResponses = {
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/responses',
    right: 'chat',
    summary: 'Asks a model or an assistant; returns the response, streams it, or writes it in the background.',
    body: ResponseRequest,
    output: z.unknown(),
    bodyLimit: 20 * 1024 * 1024,
    keepsTexts: true,
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/responses/:id',
    right: 'chat',
    summary: 'Returns a stored response in its current state.',
    params: ById,
    query: z.looseObject({
      include,
      stream: z.enum(['true', 'false']).optional(),
      starting_after: z.string().optional(),
    }),
    output: ApiResponse,
  }),
  remove: apiEndpoint({
    method: 'DELETE',
    path: '/v1/responses/:id',
    right: 'chat',
    summary: 'Deletes a response. Later responses can no longer continue from it.',
    params: ById,
    output: apiDeleted('response'),
  }),
  cancel: apiEndpoint({
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    right: 'chat',
    summary: 'Cancels a response that is written in the background.',
    params: ById,
    body: z.looseObject({}),
    output: ApiResponse,
  }),
  inputItems: apiEndpoint({
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    right: 'chat',
    summary: 'Lists the input items of a response, without those of the responses before it.',
    params: ById,
    query: z.looseObject({ ...apiPage, include }),
    output: apiList(z.looseObject({ id: z.string(), type: z.string() })),
  }),
};
