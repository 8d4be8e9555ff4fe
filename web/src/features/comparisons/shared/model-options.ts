import { type ModelList, wellKnownModels } from '@roster/contracts/models/models';

type Tuned = { name: string; model: string; baseModel: string };
export type ModelOption = { id: string; words: string };
export type ModelGroup = { label: string; options: ModelOption[] };

/** Models that can be asked: tuned ones by name, then the key's others. */
export function modelGroups(tuned: readonly Tuned[], list: ModelList | undefined): ModelGroup[] {
  const named = new Set(tuned.map(({ model }) => model));
  const others = (list?.models ?? []).filter(({ id, lifecycle }) => lifecycle !== 'gone' && !named.has(id));
  const plain = others.filter((model) => !model.tuned).map(({ id }) => id);
  const known = list ? plain : [...wellKnownModels];
  return [
    { label: 'Tuned here', options: tuned.map(({ name, model }) => ({ id: model, words: `${name} (${model})` })) },
    { label: 'Tuned elsewhere', options: others.filter((model) => model.tuned).map(({ id }) => ({ id, words: id })) },
    { label: 'Other models', options: known.map((id) => ({ id, words: id })) },
  ].filter(({ options }) => options.length > 0);
}

/** Base of a tuned model: as stored, otherwise as encoded in its id. */
export function baseOf(model: string, tuned: readonly Tuned[]): string | undefined {
  return tuned.find((candidate) => candidate.model === model)?.baseModel ?? /^ft:([^:]+):/.exec(model)?.[1];
}
