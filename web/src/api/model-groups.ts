import { type Model, type ModelList, wellKnownModels } from '@roster/contracts/models/models';

type ModelGroup = { label: string; ids: string[] };

/** The models to choose from, in groups. `current`: the one already chosen, offered even where the list lacks it. */
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

/** The same groups as a select shows them. */
export const modelOptions = (groups: readonly ModelGroup[]) =>
  groups.map(({ label, ids }) => ({ label, options: ids.map((id) => ({ id, words: id })) }));

/** Nothing is known of the models that the key has: any id may be one of them. */
export const acceptsAnyModel = (list: ModelList | undefined): boolean =>
  list?.source === 'unknown' && list.models.every(({ tuned }) => tuned);

function groupedByState(models: readonly Model[]): ModelGroup[] {
  const ids = (belongs: (model: Model) => boolean) => models.filter(belongs).map((model) => model.id);
  return [
    { label: 'Current', ids: ids((model) => model.lifecycle === 'current' && !model.tuned) },
    { label: 'Fine-tuned', ids: ids((model) => model.lifecycle !== 'gone' && model.tuned) },
    { label: 'Shutting down soon', ids: ids((model) => model.lifecycle === 'ending' && !model.tuned) },
  ].filter((group) => group.ids.length > 0);
}
