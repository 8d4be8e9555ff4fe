import { z } from 'zod';
import { PresetId } from '../connections/connections.ts';
import { endpoint, Id } from '../endpoint.ts';
import { modelReferenceLimit } from '../model-text.ts';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const ReasoningEffort = z.enum(efforts);
export type ReasoningEffort = z.output<typeof ReasoningEffort>;

/** USD per 1,000,000 tokens. */
export const Price = z.object({
  input: z.number(),
  cachedInput: z.number().nullable(),
  output: z.number(),
  /** The day on which the price was read. */
  asOf: z.string(),
  /** The model whose price is used if the catalogue does not have the snapshot; null: its own. */
  family: z.string().nullable(),
});
export type Price = z.output<typeof Price>;

export const ModelMark = z.enum(['vision', 'reasoning', 'tools', 'json']);
export type ModelMark = z.output<typeof ModelMark>;

export const Model = z.object({
  id: z.string(),
  /** `YYYY-MM-DD`, from the provider if it states one, otherwise from the catalogue. */
  shutdownDate: z.string().nullable(),
  /** `ending`: shut down within 90 days. */
  lifecycle: z.enum(['current', 'ending', 'gone']),
  successor: z.string().nullable(),
  price: Price.nullable(),
  /** `conditional`: only with reasoning effort `none`. */
  temperature: z.enum(['yes', 'no', 'conditional', 'unknown']),
  /** Empty: the model does not reason. */
  efforts: z.array(ReasoningEffort),
  contextTokens: z.number().nullable(),
  /** Fine-tuned by the key’s own organization. */
  tuned: z.boolean(),
  /** Recommended use, as the provider describes it, in a few words; null: unknown. */
  goodFor: z.string().nullable(),
  /** The abilities that the provider’s list names. Many lists name none. */
  marks: z.array(ModelMark),
});
export type Model = z.output<typeof Model>;

/** The models of one of the person’s connections. Their ids carry the connection. */
export const ConnectionModels = z.object({
  id: Id,
  name: z.string(),
  preset: PresetId,
  models: z.array(Model),
  /**
   * Why the list could not be read; null: it was. The models are then those of the last time, and any model id of the
   * provider can be entered.
   */
  notice: z.string().nullable(),
});
export type ConnectionModels = z.output<typeof ConnectionModels>;

export const ModelList = z.object({
  /** `unknown`: no key, or the provider could not be asked; any model id is accepted then. */
  source: z.enum(['provider', 'unknown']),
  /** Why the list is unknown. */
  notice: z.string().nullable(),
  models: z.array(Model),
  /** The initial model of a new assistant. */
  defaultModel: z.string(),
  /** In the person’s order, without paused ones. */
  connections: z.array(ConnectionModels),
});
export type ModelList = z.output<typeof ModelList>;

/** For each built-in tool, why the model is known not to support it; null: no known reason. */
export const ModelToolSupport = z.object({
  webSearch: z.string().nullable(),
  codeInterpreter: z.string().nullable(),
  imageGeneration: z.string().nullable(),
  /** A notice about all of them, to be read before use. */
  notice: z.string().nullable(),
});
export type ModelToolSupport = z.output<typeof ModelToolSupport>;

/** Approximate tokens of a title: the first exchange, the request, and a few words of answer. */
const titleTokens = { input: 700, output: 30 };

/** Approximate USD per title; null: no price known. */
export const titleCost = (price: Price | null): number | null =>
  price && (price.input * titleTokens.input + price.output * titleTokens.output) / 1_000_000;

/** The cheapest model for titles, among those with a known price that are neither fine-tuned nor retiring. */
export function cheapestTitleModel(list: readonly Model[]): Model | undefined {
  const usable = list.filter(({ price, tuned, lifecycle }) => price !== null && !tuned && lifecycle === 'current');
  const costOf = ({ price }: Model) => titleCost(price) ?? 0;
  return usable.reduce<Model | undefined>((best, one) => (best && costOf(best) <= costOf(one) ? best : one), undefined);
}

/** Offered while the key’s own list is unknown. */
export const wellKnownModels = ['gpt-4o', 'gpt-4-turbo', 'gpt-3.5-turbo'] as const;

export const models = {
  list: endpoint({
    method: 'GET',
    path: '/api/models',
    access: 'user',
    summary: 'Lists the models that this key can use, with price, shutdown date and what they accept.',
    output: ModelList,
  }),
  tools: endpoint({
    method: 'GET',
    path: '/api/models/tools',
    access: 'user',
    summary:
      'Lists the built-in tools that a model is known not to support, and why; without `model`, those of the model that answers if none was chosen.',
    query: z.strictObject({ model: z.string().max(modelReferenceLimit).optional() }),
    output: ModelToolSupport,
  }),
};
