import { connectionIdOf } from '@roster/contracts/models/model-reference';
import type { Model, ModelList, ReasoningEffort } from '@roster/contracts/models/models';
import type { RetiringModel } from '@roster/contracts/models/retirement';
import { findModel, isModelMissing } from '#web/api/models.ts';
import { formatLongDate } from '#web/lib/text/format.ts';

type Trouble = { severity: 'warning' | 'destructive'; text: string; successor: string | null };

/** Problem with an assistant's model. `ending` covers retired models, which may be in no list. */
export function modelProblem(
  id: string,
  list: ModelList | undefined,
  ending: readonly RetiringModel[] = [],
): Trouble | null {
  const model = findModel(list, id) ?? ending.find((candidate) => candidate.model === id);
  if (!model) {
    const text =
      connectionIdOf(id) === null
        ? 'Your key cannot use this model.'
        : 'The connection of this model is paused or removed, or no longer lists it.';
    return isModelMissing(list, id) ? { severity: 'warning', text, successor: null } : null;
  }
  const { lifecycle, shutdownDate, successor } = model;
  if (lifecycle === 'gone') {
    const when = shutdownDate ? ` on ${formatLongDate(shutdownDate)}` : '';
    return { severity: 'destructive', text: `This model retired${when}.`, successor };
  }
  if (lifecycle === 'ending') {
    const when = shutdownDate ? `on ${formatLongDate(shutdownDate)}` : 'soon';
    return { severity: 'warning', text: `This model retires ${when}.`, successor };
  }
  return null;
}

/** Tells whether the temperature has any effect with this model. */
export function temperatureSupport(
  model: Model | undefined,
  effort: ReasoningEffort | null,
): 'used' | 'unused' | 'withoutReasoning' {
  if (model?.temperature === 'no') return 'unused';
  if (model?.temperature === 'conditional' && effort !== 'none') return 'withoutReasoning';
  return 'used';
}
