import type { ModelList } from '@roster/contracts/models/models';

const count = 3;
/** USD per million output tokens; an example must not surprise anybody with its cost. */
const maxOutputPrice = 30;
/** A snapshot stands beside its model in the list. */
const dated = /-\d{4}(?:-\d{2}-\d{2})?$/;

/**
 * Models for a first comparison: the default model, the cheapest and the most expensive one, as far as they are
 * different. Fewer than two if the key's models are unknown.
 */
export function exampleModels({ models, defaultModel, source }: ModelList): string[] {
  if (source === 'unknown') return [];
  const usable = models.filter(
    ({ id, lifecycle, tuned, price }) =>
      lifecycle === 'current' && !tuned && !dated.test(id) && (price?.output ?? 0) <= maxOutputPrice,
  );
  const priced = usable
    .flatMap(({ id, price }) => (price ? [{ id, output: price.output }] : []))
    .toSorted((one, other) => one.output - other.output);
  const ids = priced.map(({ id }) => id);
  const preferred = usable.some(({ id }) => id === defaultModel) ? [defaultModel] : [];
  const extremes = [ids.at(0), ids.at(-1)].filter((id) => id !== undefined);
  const others = [ids[Math.floor(ids.length / 2)], ...ids, ...usable.map(({ id }) => id)].filter(
    (id) => id !== undefined,
  );
  return [...new Set([...preferred, ...extremes, ...others])].slice(0, count);
}
