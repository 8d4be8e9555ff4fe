import { type Model, type ModelList, type ReasoningEffort, specifiedModels } from '@roster/contracts/models';
import { formatLongDate } from '#web/lib/format.ts';

type ModelGroup = { label: string; ids: string[] };

/** The models to choose from, in groups. `current`: the one already chosen, offered even where the list lacks it. */
export function modelGroups(list: ModelList | undefined, current: string): ModelGroup[] {
  const groups =
    list?.source === 'provider'
      ? groupedByState(list.models)
      : [{ label: 'Models', ids: [...new Set([...specifiedModels, ...(list?.models ?? []).map(({ id }) => id)])] }];
  const known = current === '' || groups.some((group) => group.ids.includes(current));
  return known ? groups : [{ label: 'Chosen before', ids: [current] }, ...groups];
}

function groupedByState(models: readonly Model[]): ModelGroup[] {
  const ids = (belongs: (model: Model) => boolean) => models.filter(belongs).map((model) => model.id);
  return [
    { label: 'Current', ids: ids((model) => model.lifecycle === 'current' && !model.tuned) },
    { label: 'Fine-tuned', ids: ids((model) => model.lifecycle !== 'gone' && model.tuned) },
    { label: 'Shutting down soon', ids: ids((model) => model.lifecycle === 'ending' && !model.tuned) },
  ].filter((group) => group.ids.length > 0);
}

type Trouble = { severity: 'warning' | 'destructive'; text: string; successor: string | null };

/** What is wrong with a model that an assistant uses; nothing while the key's list is not known. */
export function modelTrouble(id: string, list: ModelList | undefined): Trouble | null {
  const model = list?.models.find((candidate) => candidate.id === id);
  if (!model) {
    const isMissing = list?.source === 'provider';
    return isMissing
      ? { severity: 'warning', text: 'Not among the models that your key can use.', successor: null }
      : null;
  }
  const { lifecycle, shutdownDate, successor } = model;
  if (lifecycle === 'gone') {
    const when = shutdownDate ? ` on ${formatLongDate(shutdownDate)}` : '';
    return { severity: 'destructive', text: `This model was shut down${when}.`, successor };
  }
  if (lifecycle === 'ending') {
    const when = shutdownDate ? `on ${formatLongDate(shutdownDate)}` : 'soon';
    return { severity: 'warning', text: `This model shuts down ${when}.`, successor };
  }
  return null;
}

/** Whether the slider does anything for this model. */
export function temperatureUse(
  model: Model | undefined,
  effort: ReasoningEffort | null,
): 'used' | 'unused' | 'withoutReasoning' {
  if (model?.temperature === 'no') return 'unused';
  if (model?.temperature === 'conditional' && effort !== 'none') return 'withoutReasoning';
  return 'used';
}
