import type { DayOfModel } from './ledger.ts';

/** USD per 1,000,000 tokens. The simulator's own price list: a client's estimate may differ, as in reality. */
type Price = { input: number; cached: number; output: number; training: number };

const UNLISTED: Price = { input: 1, cached: 0.1, output: 5, training: 25 };

/** The first matching pattern decides. */
const PRICES: readonly [RegExp, Price][] = [
  [/^gpt-4o-mini/, { input: 0.15, cached: 0.075, output: 0.6, training: 3 }],
  [/^gpt-4o/, { input: 2.5, cached: 1.25, output: 10, training: 25 }],
  [/^gpt-4\.1-mini/, { input: 0.4, cached: 0.1, output: 1.6, training: 5 }],
  [/^gpt-4\.1/, { input: 2, cached: 0.5, output: 8, training: 25 }],
  [/^(gpt-5|o3)/, { input: 1.25, cached: 0.125, output: 10, training: 25 }],
  [/^gpt-6-luna/, { input: 0.1, cached: 0.01, output: 0.5, training: 25 }],
  [/^gpt-6/, { input: 2, cached: 0.2, output: 10, training: 25 }],
];

function priceOf(model: string): Price {
  const base = model.startsWith('ft:') ? (model.split(':')[1] ?? model) : model;
  return PRICES.find(([pattern]) => pattern.test(base))?.[1] ?? UNLISTED;
}

export type LineItem = { name: string; quantity: number; value: number };

/** The costs of a model's day by billing item. */
export function lineItems(entry: DayOfModel): LineItem[] {
  const { model, input, cached, output, trained } = entry;
  const price = priceOf(model);
  const item = (kind: string, quantity: number, each: number) => ({
    name: `${model}, ${kind}`,
    quantity,
    value: (quantity * each) / 1_000_000,
  });
  return [
    item('input', input - cached, price.input),
    item('cached input', cached, price.cached),
    item('output', output, price.output),
    item('training', trained, price.training),
  ].filter(({ quantity }) => quantity > 0);
}
