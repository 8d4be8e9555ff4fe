import { readFileSync } from 'node:fs';
import { TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { type Model, Price, ReasoningEffort } from '@roster/contracts/models/models';
import { BilledTool } from '@roster/contracts/usage/usage';
import { z } from 'zod';
import { failureReason, StartupError } from '#server/lib/errors';

const CataloguePrice = Price.omit({ asOf: true, family: true }).extend({
  /** Set if writing to the prompt cache costs more than reading input. */
  cacheWrite: z.number().optional(),
});
/** Service tiers with their own prices, by their names in responses. */
const PricedTier = z.enum(['flex', 'batch', 'priority']);
const CatalogueEntry = z.strictObject({
  /** A model id; it also covers dated snapshots (`gpt-4o-2024-08-06`) and fine-tuned models (`ft:gpt-4o…`). */
  match: z.string().min(1),
  /** Recommended use, as the provider describes it, in a few words. */
  goodFor: z.string().min(1).max(60).optional(),
  price: CataloguePrice.nullable(),
  /** Dated ids known to cost the same. Others are priced by their family, with a remark. */
  snapshots: z.array(z.string().min(1)).optional(),
  /** Prices of other service tiers; a missing tier has no known price. */
  tiers: z.partialRecord(PricedTier, CataloguePrice).optional(),
  tunedPrice: CataloguePrice.optional(),
  training: z
    .strictObject({
      /** The ids under which it is trained. */
      models: z.array(z.string().min(1)).min(1),
      /** The last known price per 1,000,000 training tokens. */
      price: z.number().nullable(),
      methods: z.array(TrainingMethod).min(1),
      description: z.string(),
      /** true: training examples may contain images. Omitted: unknown. */
      images: z.boolean().optional(),
      /** From this day its own provider starts no new training; other providers may. */
      until: z.iso.date().optional(),
    })
    .optional(),
  temperature: z.enum(['yes', 'no', 'conditional']),
  efforts: z.array(ReasoningEffort),
  contextTokens: z.number().int().positive(),
  /** Above this number of input tokens the whole request costs twice the input and 1.5 times the output price. */
  longContextFrom: z.number().int().positive().optional(),
  shutdownDate: z.iso.date().optional(),
  successor: z.string().optional(),
});
type CatalogueEntry = z.output<typeof CatalogueEntry>;
/** A price per use instead of per token. */
const ToolPrice = z.strictObject({
  tool: BilledTool,
  usdPerThousandCalls: z.number().nonnegative(),
  asOf: z.iso.date(),
  source: z.string(),
});
/** The provider's price for files in vector stores. Roster does not know how long they are stored, and says so. */
const StoragePrice = z.strictObject({
  usdPerGigabyteDay: z.number().nonnegative(),
  freeGigabytes: z.number().nonnegative(),
  asOf: z.iso.date(),
  source: z.string(),
});
const CatalogueFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  unit: z.literal('USD per 1,000,000 tokens'),
  /** Source of the tiers' prices; omitted: same as the others. */
  tiers: z.strictObject({ asOf: z.iso.date(), source: z.string() }).optional(),
  /** Source of `goodFor`. */
  descriptions: z.strictObject({ asOf: z.iso.date(), source: z.string() }).optional(),
  models: z.array(CatalogueEntry),
  tools: z.array(ToolPrice).default([]),
  storage: StoragePrice.nullable().default(null),
});

/** null: not sent. */
type ModelParameters = { temperature: number | null; effort: ReasoningEffort | null };

export type TokenCounts = {
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** USD for the whole call, if the provider states it. */
  statedUsd?: number | undefined;
};

/** USD for one call at a price per 1,000,000 tokens. Cached and cache-write tokens are part of the input. */
export function costOf(price: z.output<typeof CataloguePrice>, counts: TokenCounts, isLong = false): number {
  const plain = Math.max(0, counts.inputTokens - counts.cachedTokens - counts.cacheWriteTokens);
  const input =
    plain * price.input +
    counts.cachedTokens * (price.cachedInput ?? price.input) +
    counts.cacheWriteTokens * (price.cacheWrite ?? price.input);
  const output = counts.outputTokens * price.output;
  return (input * (isLong ? 2 : 1) + output * (isLong ? 1.5 : 1)) / 1_000_000;
}

/** Days before the shutdown from which a model counts as `ending`. */
const warnDays = 90;

function readCatalogue(file: string | undefined): z.output<typeof CatalogueFile> {
  try {
    const text = readFileSync(file ?? new URL('./catalogue.json', import.meta.url), 'utf8');
    return CatalogueFile.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `\n${z.prettifyError(cause)}` : ` ${failureReason(cause)}.`;
    throw new StartupError(`MODEL_CATALOGUE: ${file} cannot be used:${why}`, { cause });
  }
}

/**
 * Prices and capabilities of models, from the shipped catalogue.json or the operator's MODEL_CATALOGUE file.
 * @throws StartupError if that file cannot be used
 */
export function loadCatalogue(file?: string) {
  const { asOf, models, tools, storage, tiers } = readCatalogue(file);
  const byId = new Map(models.map((entry, order) => [entry.match, { entry, order }]));

  function find(model: string) {
    const base = baseOf(modelIdOf(model));
    return byId.get(base) ?? byId.get(base.replace(/-(\d{4}-\d{2}-\d{2}|\d{4})$/, ''));
  }

  const priceOf = (entry: CatalogueEntry | undefined, model: string) =>
    (isTuned(model) ? entry?.tunedPrice : entry?.price) ?? null;

  /** The entry whose price is used for a snapshot that it does not list; null: the price is the model's own. */
  function familyOf(entry: CatalogueEntry | undefined, model: string): string | null {
    if (!entry || !priceOf(entry, model)) return null;
    const base = baseOf(modelIdOf(model));
    const named = [entry.match, ...(entry.snapshots ?? []), ...(entry.training?.models ?? [])];
    return named.includes(base) ? null : entry.match;
  }

  /** The tier's price. Long requests cost more only if that is known. */
  function priceIn(
    entry: CatalogueEntry | undefined,
    model: string,
    { tier, isLong }: { tier: string | null; isLong: boolean },
  ) {
    if (tier === null) return priceOf(entry, model);
    const priced = PricedTier.safeParse(tier);
    if (!priced.success || isTuned(model) || (isLong && priced.data === 'priority')) return null;
    return entry?.tiers?.[priced.data] ?? null;
  }

  return {
    asOf,
    /** Sort position in the catalogue; unknown models come last. */
    order: (model: string) => find(model)?.order ?? Number.MAX_SAFE_INTEGER,
    /** Describes a model from the catalogue; `shutdownDate` is the provider's, if it gives one. */
    describe(model: string, shutdownDate: string | null | undefined, today: string): Model {
      const entry = find(model)?.entry;
      const price = priceOf(entry, model);
      const ends = shutdownDate ?? entry?.shutdownDate ?? null;
      return {
        id: model,
        shutdownDate: ends,
        lifecycle: lifecycle(ends, today),
        successor: entry?.successor ?? null,
        price: price && {
          input: price.input,
          cachedInput: price.cachedInput,
          output: price.output,
          asOf,
          family: familyOf(entry, model),
        },
        temperature: entry?.temperature ?? 'unknown',
        efforts: entry?.efforts ?? [],
        contextTokens: entry?.contextTokens ?? null,
        tuned: isTuned(model),
        // A fine-tuned model is good for what it was trained on.
        goodFor: isTuned(model) ? null : (entry?.goodFor ?? null),
        marks: [],
      };
    },
    /** The settings that a model accepts; unknown models are sent all of them. */
    parameters(model: string, { temperature, effort }: ModelParameters): ModelParameters {
      const entry = find(model)?.entry;
      if (!entry) return { temperature, effort };
      const taken = effort !== null && entry.efforts.includes(effort) ? effort : null;
      const takesTemperature = entry.temperature === 'yes' || (entry.temperature === 'conditional' && taken === 'none');
      return { temperature: takesTemperature ? temperature : null, effort: taken };
    },
    /** The lowest reasoning effort the model accepts; null if it accepts none or is unknown. */
    leastEffort: (model: string): ReasoningEffort | null => find(model)?.entry.efforts[0] ?? null,
    /** A label with bounded cardinality, for metrics; `other` for unknown models. */
    family(model: string): string {
      const match = find(model)?.entry.match;
      return match === undefined ? 'other' : `${isTuned(model) ? 'ft:' : ''}${match}`;
    },
    contextTokens: (model: string) => find(model)?.entry.contextTokens ?? null,
    successor: (model: string) => find(model)?.entry.successor ?? null,
    shutdownDate: (model: string) => find(model)?.entry.shutdownDate ?? null,
    /** The trainable models, in catalogue order. */
    trainable: models.flatMap(({ training, shutdownDate = null }) =>
      training ? training.models.map((id) => ({ id, shutdownDate, ...training })) : [],
    ),
    /** Price of a tool's calls; null if unknown. */
    toolPrice: (tool: BilledTool) => tools.find((one) => one.tool === tool) ?? null,
    storagePrice: storage,
    /** True if a model can be trained on images; null if unknown. */
    trainsOnImages: (model: string) => find(model)?.entry.training?.images ?? null,
    /** USD per 1,000,000 training tokens; null if unknown. */
    trainingPrice: (model: string) => find(model)?.entry.training?.price ?? null,
    /**
     * The model whose price is used for a snapshot that the catalogue does not list; null: the price is its own, or
     * unknown.
     */
    familyOf: (model: string) => familyOf(find(model)?.entry, model),
    /** The date of a service tier's prices; null: of the standard tier. */
    priceDay: (tier: string | null) => (tier === null ? asOf : (tiers?.asOf ?? asOf)),
    /** USD for one call; null if no price is known. `tier`: the service tier that answered; null: the standard tier. */
    cost(model: string, counts: TokenCounts, tier: string | null = null): number | null {
      const entry = find(model)?.entry;
      const isLong = entry?.longContextFrom !== undefined && counts.inputTokens > entry.longContextFrom;
      const price = priceIn(entry, model, { tier, isLong });
      return price && costOf(price, counts, isLong);
    },
  };
}

export type Catalogue = ReturnType<typeof loadCatalogue>;

const isTuned = (model: string) => modelIdOf(model).startsWith('ft:');
const baseOf = (model: string) => (model.startsWith('ft:') ? (model.split(':')[1] ?? model) : model);

function lifecycle(shutdownDate: string | null, today: string): Model['lifecycle'] {
  if (!shutdownDate) return 'current';
  if (shutdownDate <= today) return 'gone';
  const days = (Date.parse(shutdownDate) - Date.parse(today)) / 86_400_000;
  return days <= warnDays ? 'ending' : 'current';
}
