import { z } from 'zod';
import { endpoint, Id } from '../endpoint.ts';
import { UsageComparison } from '../usage/usage.ts';

/** Items in each list about a retiring model; their total is stated separately. */
export const modelUsageListLimit = 100;
export const retiringModelLimit = 100;

export const RetiringModel = z.object({
  model: z.string(),
  /** `YYYY-MM-DD` in UTC. */
  shutdownDate: z.string(),
  /** The source of the date: the provider’s list of models or Roster’s catalogue. */
  source: z.enum(['provider', 'catalogue']),
  /** The day on which the source was read, `YYYY-MM-DD`. */
  asOf: z.string(),
  /** `ending`: from 90 days before. `gone`: the day has passed and nothing indicates that the model is still served. */
  lifecycle: z.enum(['ending', 'gone']),
  successor: z.string().nullable(),
  /** Assistants that use it, the first 100 by name. */
  assistants: z.array(z.object({ id: z.number().int(), name: z.string() })),
  assistantCount: z.number().int(),
  /** Conversations whose next answer it would write, among the 2,000 newest. */
  conversations: z.number().int(),
  /** Fine-tuned models in use that are this model or were trained from it; the first 100. */
  tunedModels: z.array(
    z.object({
      id: Id,
      name: z.string(),
      model: z.string(),
      /** The job that created it and the dataset used; null: no longer known. */
      job: z.object({ id: Id, name: z.string() }).nullable(),
      dataset: z.object({ id: Id, name: z.string() }).nullable(),
    }),
  ),
  tunedModelCount: z.number().int(),
  /** Compared with its successor. */
  usage: UsageComparison,
});
export type RetiringModel = z.output<typeof RetiringModel>;

/** A retiring model with its usage across the installation: numbers only, nobody’s names. */
export const InstallationRetiringModel = RetiringModel.pick({
  model: true,
  shutdownDate: true,
  source: true,
  asOf: true,
  lifecycle: true,
  successor: true,
}).extend({
  /** true: a row for all models fine-tuned from `model`. */
  isTuned: z.boolean(),
  assistants: z.number().int(),
  /** Users whose assistants, conversations, active fine-tuned models or calls of the last 30 days use it. */
  people: z.number().int(),
  /** In the last 30 days including today, in UTC. */
  calls: z.number().int(),
});
export type InstallationRetiringModel = z.output<typeof InstallationRetiringModel>;

export const modelRetirement = {
  ofAll: endpoint({
    method: 'GET',
    path: '/api/admin/models',
    access: 'admin',
    summary:
      'Lists up to 100 models in use that were retired or will be within 90 days, soonest first, with the number of assistants and people that use each, and its calls of the last 30 days.',
    output: z.object({ items: z.array(InstallationRetiringModel).max(retiringModelLimit) }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/model-life',
    access: 'user',
    summary:
      'Lists the models of your assistants, conversations and fine-tuned models that were retired or will be within 90 days, soonest first.',
    output: z.object({ items: z.array(RetiringModel) }),
  }),
};
