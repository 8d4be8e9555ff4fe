import type { ModelMark } from '@roster/contracts/models/models';
import { z } from 'zod';

/** USD per 1,000,000 tokens. */
export type ListedPrice = { input: number; cachedInput: number | null; output: number };

const tokens = z.number().int().positive().max(100_000_000).optional().catch(undefined);
/** More than any model costs for a token. */
const maxUsdPerToken = 1;
/**
 * Dollars as a number or a text; OpenRouter writes -1 where the price depends on the model that it chooses. A price that
 * is null or empty is not known: it must not count as free.
 */
const dollarsUpTo = (most: number) =>
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\s*\d/)
        .transform(Number),
    ])
    .pipe(z.number().min(0).max(most))
    .optional()
    .catch(undefined);
const perToken = dollarsUpTo(maxUsdPerToken);
const perMillion = dollarsUpTo(maxUsdPerToken * 1_000_000);

/** The fields by which lists describe models, each by another name at another provider. */
export const DescribedModel = z.object({
  context_length: tokens,
  context_window: tokens,
  max_model_len: tokens,
  max_context_length: tokens,
  /** `prompt` and `completion` are dollars a token (OpenRouter), `input` and `output` dollars a million (Together). */
  pricing: z
    .looseObject({
      prompt: perToken,
      completion: perToken,
      input_cache_read: perToken,
      input: perMillion,
      output: perMillion,
    })
    .nullish()
    .catch(null),
  supported_parameters: z.array(z.string()).nullish().catch(null),
});

type DescribedFields = z.output<typeof DescribedModel> & {
  capabilities?: { function_calling?: boolean | undefined; vision?: boolean | undefined } | null | undefined;
  architecture?: { input_modalities?: string[] | undefined } | null | undefined;
};

/** Without the digits that multiplying adds: 0.00000218 dollars a token are 2.18 a million. */
const aMillion = (dollarsPerToken: number) => Number((dollarsPerToken * 1_000_000).toPrecision(12));

function priceOf({ pricing }: DescribedFields): ListedPrice | undefined {
  if (!pricing) return undefined;
  const { prompt, completion, input_cache_read: cached, input, output } = pricing;
  if (prompt !== undefined && completion !== undefined)
    return {
      input: aMillion(prompt),
      cachedInput: cached === undefined ? null : aMillion(cached),
      output: aMillion(completion),
    };
  return input !== undefined && output !== undefined ? { input, cachedInput: null, output } : undefined;
}

function marksOf({ capabilities, architecture, supported_parameters }: DescribedFields): ModelMark[] {
  const supported = new Set(supported_parameters ?? []);
  const has: Record<ModelMark, boolean> = {
    vision: capabilities?.vision === true || architecture?.input_modalities?.includes('image') === true,
    reasoning: supported.has('reasoning'),
    tools: capabilities?.function_calling === true || supported.has('tools'),
    json: supported.has('structured_outputs') || supported.has('response_format'),
  };
  return (['vision', 'reasoning', 'tools', 'json'] as const).filter((mark) => has[mark]);
}

/** The description of a model in a list, besides its name. */
export const descriptionOf = (model: DescribedFields) => ({
  contextTokens: model.context_length ?? model.context_window ?? model.max_model_len ?? model.max_context_length,
  price: priceOf(model),
  marks: marksOf(model),
});
