import { z } from 'zod';
import { tokenPermissions } from '../api-tokens.ts';
import { apiEndpoint } from './endpoint.ts';

export const ApiModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** Unix seconds; 0: unknown. */
  created: z.number().int(),
  owned_by: z.string(),
});
export type ApiModel = z.output<typeof ApiModel>;

export const apiModels = {
  list: apiEndpoint({
    method: 'GET',
    path: '/v1/models',
    right: tokenPermissions,
    summary: 'What can stand as `model` in a call: the models of the own provider key, and the own assistants.',
    output: z.object({ object: z.literal('list'), data: z.array(ApiModel) }),
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/models/*',
    right: tokenPermissions,
    summary: 'One of them, by its id; an assistant also by its readable name, `name@roster`.',
    params: z.strictObject({ '*': z.string().max(600) }),
    output: ApiModel,
  }),
};
