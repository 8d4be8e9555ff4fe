import { invalidRequest, unsupportedParameter } from '../http/errors.ts';

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

type ModelRules = {
  /** Empty: the model does not reason and rejects the parameter. */
  efforts: readonly Effort[];
  usualEffort: Effort;
  temperature: 'always' | 'without reasoning' | 'only 1';
  context: number;
};

const LARGE_CONTEXT = 1_050_000;
const FROM_NONE: readonly Effort[] = ['none', 'low', 'medium', 'high', 'xhigh', 'max'];
const FROM_LOW: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const CLASSIC: ModelRules = { efforts: [], usualEffort: 'none', temperature: 'always', context: 128_000 };
const EARLY_REASONING: ModelRules = {
  efforts: ['minimal', 'low', 'medium', 'high'],
  usualEffort: 'medium',
  temperature: 'only 1',
  context: 400_000,
};
const QUIET_BY_DEFAULT: ModelRules = {
  efforts: FROM_NONE,
  usualEffort: 'none',
  temperature: 'without reasoning',
  context: 400_000,
};
const CURRENT: ModelRules = {
  efforts: FROM_NONE,
  usualEffort: 'medium',
  temperature: 'without reasoning',
  context: LARGE_CONTEXT,
};
const ALWAYS_REASONING: ModelRules = { ...CURRENT, efforts: FROM_LOW, temperature: 'only 1' };

/** The first matching pattern decides. */
const RULES: readonly [RegExp, ModelRules][] = [
  [/^gpt-4\.1/, { ...CLASSIC, context: 1_047_576 }],
  [/^(gpt-4o|chatgpt-4o)/, CLASSIC],
  [/^o\d/, { ...EARLY_REASONING, efforts: ['low', 'medium', 'high'], context: 200_000 }],
  [/^gpt-5(-\d{4}|-mini|-nano|-pro|$)/, EARLY_REASONING],
  [/^gpt-5\.4-nano/, { ...QUIET_BY_DEFAULT, temperature: 'only 1' }],
  [/^gpt-5\.[1-4]/, QUIET_BY_DEFAULT],
  [/^(gpt-6-astra|gpt-6\.1-sol)/, ALWAYS_REASONING],
  [/^gpt-/, CURRENT],
];

function baseOf(model: string): string {
  return model.startsWith('ft:') ? (model.split(':')[1] ?? model) : model;
}

export function rulesOf(model: string): ModelRules {
  const base = baseOf(model);
  return RULES.find(([pattern]) => pattern.test(base))?.[1] ?? CLASSIC;
}

/** The effort of an answer, or null if the model does not reason. */
export function effortFor(model: string, requested: string | undefined, param: string): Effort | null {
  const rules = rulesOf(model);
  if (rules.efforts.length === 0) {
    if (requested !== undefined) throw unsupportedParameter(param);
    return null;
  }
  if (requested === undefined) return rules.usualEffort;
  const effort = rules.efforts.find((candidate) => candidate === requested);
  if (effort === undefined) {
    const list = rules.efforts.map((candidate) => `'${candidate}'`).join(', ');
    throw invalidRequest(
      `Unsupported value: '${requested}' is not supported with the '${model}' model. Supported values are: ${list}.`,
      param,
      'unsupported_value',
    );
  }
  return effort;
}

export function checkSampling(
  model: string,
  effort: Effort | null,
  given: { temperature: number | undefined; top_p: number | undefined },
): void {
  const { temperature: rule } = rulesOf(model);
  if (rule === 'always' || (rule === 'without reasoning' && effort === 'none')) return;
  if (given.temperature !== undefined && given.temperature !== 1) throw unsupportedParameter('temperature');
  if (given.top_p !== undefined && given.top_p !== 1) throw unsupportedParameter('top_p');
}

/** These models bill writes to the prompt cache, so they report them. */
export function reportsCacheWrites(model: string): boolean {
  return /^gpt-(5\.[6-9]|[6-9])/.test(baseOf(model));
}
