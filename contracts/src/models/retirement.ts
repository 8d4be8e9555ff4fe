import { z } from 'zod';
import { endpoint, Id } from '../endpoint.ts';
import { UsageComparison } from '../usage/usage.ts';

/** Of each list of a model that ends: the first ones, beside how many there are. */
export const modelUsageListLimit = 100;
/** Models that end, of one person. */
export const retiringModelLimit = 100;
/** So many of the newest conversations are looked through. */
export const scannedThreadLimit = 2_000;

export const RetiringModel = z.object({
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
  tunedModels: z.array(
    z.object({
      id: Id,
      name: z.string(),
      model: z.string(),
      /** The job that made it, and the dataset that it was trained with; null: not known here any more. */
      job: z.object({ id: Id, name: z.string() }).nullable(),
      dataset: z.object({ id: Id, name: z.string() }).nullable(),
    }),
  ),
  tunedModelCount: z.number().int(),
  /** The other model is its successor. */
  usage: UsageComparison,
});
export type RetiringModel = z.output<typeof RetiringModel>;

/** A model that ends, with how much of the whole installation is on it: numbers, and nobody's names. */
export const InstallationRetiringModel = RetiringModel.pick({
  model: true,
  shutdownDate: true,
  source: true,
  asOf: true,
  lifecycle: true,
  successor: true,
}).extend({
  /** Of fine-tuned models together: `model` is what they were trained from. */
  isTuned: z.boolean(),
  assistants: z.number().int(),
  /** Whose assistants, conversations, offered fine-tuned models or calls of the last 30 days use it. */
  people: z.number().int(),
  /** In the last 30 days, today included, in UTC. */
  calls: z.number().int(),
});
export type InstallationRetiringModel = z.output<typeof InstallationRetiringModel>;

export const modelRetirement = {
  ofAll: endpoint({
    method: 'GET',
    path: '/api/admin/models',
    access: 'admin',
    summary:
      'The models in use that end within 90 days or have ended, with how many assistants, people and calls of the last 30 days are on each; the next one to end comes first, at most 100.',
    output: z.object({ items: z.array(InstallationRetiringModel).max(retiringModelLimit) }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/model-life',
    access: 'user',
    summary:
      'The models that end within 90 days or have ended, of those that the own assistants, conversations and fine-tuned models use; the next one to end comes first.',
    output: z.object({ items: z.array(RetiringModel) }),
  }),
};
