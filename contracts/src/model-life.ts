import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ComparedUse } from './usage.ts';

/** Of each list of a model that ends: the first ones, beside how many there are. */
export const usersOfModelAtMost = 100;
/** Models that end, of one person. */
export const endingModelsAtMost = 100;
/** So many of the newest conversations are looked through. */
export const conversationsLookedAt = 2_000;

export const EndingModel = z.object({
  model: z.string(),
  /** `YYYY-MM-DD` in UTC. */
  shutdownDate: z.string(),
  /** Who says so: the provider in its list of models, or Roster's catalogue. */
  source: z.enum(['provider', 'catalogue']),
  /** The day on which that was read, `YYYY-MM-DD`. */
  asOf: z.string(),
  /** `ending`: from 90 days before. `gone`: the day has come, and nothing says that the model is still served. */
  lifecycle: z.enum(['ending', 'gone']),
  successor: z.string().nullable(),
  /** Those that answer with it, the first 100 by name. */
  assistants: z.array(z.object({ id: z.number().int(), name: z.string() })),
  assistantCount: z.number().int(),
  /** Whose next answer it would write: of the 2,000 newest. */
  conversations: z.number().int(),
  /** Those in use that it is, or that were trained from it; the first 100. */
  tunedModels: z.array(z.object({ id: z.number().int(), name: z.string(), model: z.string() })),
  tunedModelCount: z.number().int(),
  /** The other model is its successor. */
  usage: ComparedUse,
});
export type EndingModel = z.output<typeof EndingModel>;

export const modelLife = {
  list: endpoint({
    method: 'GET',
    path: '/api/model-life',
    access: 'user',
    summary:
      'The models that end within 90 days or have ended, of those that the own assistants, conversations and fine-tuned models use; the next one to end comes first.',
    output: z.object({ items: z.array(EndingModel) }),
  }),
};
