import type { ModelList } from '@roster/contracts/models/models';
import { allModels } from '#web/api/models.ts';
import type { ExtraGroup } from '#web/components/model-picker/picker-rows.ts';

type Tuned = { name: string; model: string; baseModel: string };

/** Models that were tuned here, by name. */
export const tunedGroups = (
  tuned: readonly Tuned[],
  value: string,
  onChange: (model: string) => void,
): ExtraGroup[] => [
  {
    title: 'Tuned here',
    options: tuned.map(({ name, model }) => ({
      id: model,
      label: `${name} (${model})`,
      isChosen: model === value,
      onTake: () => onChange(model),
    })),
  },
];

export const tunedIds = (tuned: readonly Tuned[]): string[] => tuned.map(({ model }) => model);

export const isOffered = (list: ModelList | undefined, tuned: readonly Tuned[], id: string): boolean =>
  tunedIds(tuned).includes(id) || allModels(list).some((model) => model.id === id && model.lifecycle !== 'gone');

/** Base of a tuned model: as stored, otherwise as encoded in its id. */
export function baseOf(model: string, tuned: readonly Tuned[]): string | undefined {
  return tuned.find((candidate) => candidate.model === model)?.baseModel ?? /^ft:([^:]+):/.exec(model)?.[1];
}
