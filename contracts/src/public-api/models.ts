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
    summary: 'Lists the models that your provider key can use, and your assistants.',
    output: z.object({ object: z.literal('list'), data: z.array(ApiModel) }),
  }),
  get: apiEndpoint({
    method: 'GET',
    path: '/v1/models/*',
    right: tokenPermissions,
    summary: 'Returns one model or assistant by its id; an assistant also by its readable name, `name@roster`.',
    params: z.strictObject({ '*': z.string().max(600) }),
    output: ApiModel,
  }),
};
