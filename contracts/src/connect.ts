import { z } from 'zod';
import { endpoint, Id } from './endpoint.ts';

/** An assistant that API clients can use as a model. */
export const CallableAssistant = z.object({
  id: Id,
  name: z.string(),
  /** `asst_…` */
  model: z.string(),
  /** `name@roster`, while no other assistant has that name. */
  alias: z.string().nullable(),
});
export type CallableAssistant = z.output<typeof CallableAssistant>;

export const connect = {
  assistants: endpoint({
    method: 'GET',
    path: '/api/connect/assistants',
    access: 'user',
    summary: 'Lists the names by which programs call your assistants.',
    output: z.array(CallableAssistant),
  }),
};
