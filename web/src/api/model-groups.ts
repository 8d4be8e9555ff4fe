import { type Model, type ModelList, wellKnownModels } from '@roster/contracts/models/models';

type ModelGroup = { label: string; ids: string[] };

/** Models to choose from, in groups. `current` is included even if the list lacks it. */
export function modelGroups(list: ModelList | undefined, current: string): ModelGroup[] {
  const groups =
    list?.source === 'provider'
      ? groupedByState(list.models)
      : [{ label: 'Models', ids: list?.models.map(({ id }) => id) ?? [...wellKnownModels] }].filter(
          ({ ids }) => ids.length > 0,
        );
  const known = current === '' || groups.some((group) => group.ids.includes(current));
  return known ? groups : [{ label: 'Chosen before', ids: [current] }, ...groups];
}

/** The same groups as options of a select. */
export const modelOptions = (groups: readonly ModelGroup[]) =>
  groups.map(({ label, ids }) => ({ label, options: ids.map((id) => ({ id, words: id })) }));

/** True if the key's models are unknown, so that any id may be valid. */
export const acceptsAnyModel = (list: ModelList | undefined): boolean =>
  list?.source === 'unknown' && list.models.every(({ tuned }) => tuned);

function groupedByState(models: readonly Model[]): ModelGroup[] {
  const ids = (belongs: (model: Model) => boolean) => models.filter(belongs).map((model) => model.id);
  return [
    { label: 'Current', ids: ids((model) => model.lifecycle === 'current' && !model.tuned) },
    { label: 'Fine-tuned', ids: ids((model) => model.lifecycle !== 'gone' && model.tuned) },
    { label: 'Retiring soon', ids: ids((model) => model.lifecycle === 'ending' && !model.tuned) },
  ].filter((group) => group.ids.length > 0);
}
