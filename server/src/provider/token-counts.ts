import { isObject } from '#server/lib/is-object';
import type { TokenCounts } from './catalogue/catalogue.ts';

/** More than any answer has used. */
const maxTokens = 100_000_000;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens;

/** Proxies send the names of both APIs, with zeros under those that they don't fill. */
function largest(...values: unknown[]): number | undefined {
  const counts = values.filter(isCount);
  return counts.length > 0 ? Math.max(...counts) : undefined;
}

const object = (value: unknown) => (isObject(value) ? value : {});

/**
 * Reads the reported usage of Chat Completions or Responses. null: not plausible, so the caller estimates. Every
 * request has input, so an input of 0 is a field that nobody filled.
 */
export function parseUsage(value: unknown): TokenCounts | null {
  const usage = object(value);
  const inputs = [usage.prompt_tokens, usage.input_tokens];
  const outputs = [usage.completion_tokens, usage.output_tokens];
  const inputTokens = largest(...inputs);
  const outputTokens = largest(...outputs);
  if (!inputTokens || outputTokens === undefined) return null;
  const ofInput = [object(usage.prompt_tokens_details), object(usage.input_tokens_details)];
  const ofOutput = [object(usage.completion_tokens_details), object(usage.output_tokens_details)];
  const partOf = (whole: number, ...parts: unknown[]) => {
    const part = largest(...parts) ?? 0;
    return part <= whole ? part : 0;
  };
  const cached = ofInput.map((details) => details.cached_tokens);
  const written = ofInput.map((details) => details.cache_write_tokens);
  const cachedTokens = partOf(inputTokens, ...cached, usage.prompt_cache_hit_tokens, usage.cached_tokens);
  const cacheWriteTokens = partOf(inputTokens - cachedTokens, ...written);
  // Some providers count reasoning in the total only. It is billed as output.
  const { total_tokens: total } = usage;
  const thoughts = isCount(total) ? Math.max(0, total - inputTokens - outputTokens) : 0;
  const allOutput = outputTokens + thoughts;
  const reasoning = partOf(allOutput, ...ofOutput.map((details) => details.reasoning_tokens));
  return {
    inputTokens,
    cachedTokens,
    cacheWriteTokens,
    outputTokens: allOutput,
    reasoningTokens: Math.max(reasoning, thoughts),
    ...statedCost(usage.cost),
  };
}

/** More than any answer has cost. */
const maxUsd = 10_000;

/** OpenRouter states a number, Perplexity an object with the total. */
function statedCost(cost: unknown): Pick<TokenCounts, 'statedUsd'> {
  const stated = isObject(cost) ? cost.total_cost : cost;
  const isPlausible = typeof stated === 'number' && stated >= 0 && stated <= maxUsd;
  return isPlausible ? { statedUsd: stated } : {};
}

/** The usage in a chunk or a whole answer, wherever providers put it. */
export function findUsage(answer: unknown): TokenCounts | null {
  const { usage, x_groq: groq, choices } = object(answer);
  const [choice] = Array.isArray(choices) ? choices : [];
  return parseUsage(usage) ?? parseUsage(object(groq).usage) ?? parseUsage(object(choice).usage);
}

/**
 * The usage of a call whose answer is no text: embeddings count their input alone, and some calls state only a cost.
 * null: nothing plausible is stated.
 */
export function findUsageOfInput(answer: unknown): TokenCounts | null {
  const whole = findUsage(answer);
  if (whole) return whole;
  const usage = object(object(answer).usage);
  const inputTokens = largest(usage.prompt_tokens, usage.input_tokens, usage.total_tokens) ?? 0;
  const outputTokens = largest(usage.completion_tokens, usage.output_tokens) ?? 0;
  const cost = statedCost(usage.cost);
  if (inputTokens === 0 && cost.statedUsd === undefined) return null;
  return { inputTokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens, reasoningTokens: 0, ...cost };
}

const standardTiers = new Set(['', 'default', 'auto', 'standard', 'on_demand']);

/** The service tier in a chunk, an answer or a response; null: the standard tier, or none is named. */
export function findTier(answer: unknown): string | null {
  const { service_tier: tier } = object(answer);
  if (typeof tier !== 'string' || standardTiers.has(tier)) return null;
  return tier === 'fast' ? 'priority' : tier.slice(0, 40);
}

/** The counts to record: those reported, unless they count no output for an answer with text. */
export function countsToRecord(reported: TokenCounts | null, estimated: TokenCounts) {
  const isBelieved = reported !== null && (reported.outputTokens > 0 || estimated.outputTokens === 0);
  return isBelieved ? { counts: reported, estimated: false } : { counts: estimated, estimated: true };
}
