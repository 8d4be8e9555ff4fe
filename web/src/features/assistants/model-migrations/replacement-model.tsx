import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { acceptsAnyModel, allModels, findModel, isModelMissing, modelsQuery } from '#web/api/models.ts';
import { ModelSelect } from '#web/components/model-select.tsx';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import { Field } from '#web/ui/forms/field.tsx';

/** The first model that is neither the current one nor about to retire. */
const firstOther = (list: ModelList | undefined, fromModel: string): string =>
  allModels(list).find(({ id, lifecycle, tuned }) => id !== fromModel && lifecycle === 'current' && !tuned)?.id ?? '';

/** The successor, if the key can use it as far as known. */
function suggestedIn(list: ModelList | undefined, successor: string | null, fromModel: string): string {
  if (successor === null || successor === fromModel) return '';
  return !isModelMissing(list, successor) && findModel(list, successor)?.lifecycle !== 'gone' ? successor : '';
}

const typingMs = 300;

/** State of the replacement model: the successor until another is picked. */
export function useReplacementModel(fromModel: string, successor: string | null) {
  const models = useQuery(modelsQuery);
  const [picked, setPicked] = useState<string>();
  const suggested = suggestedIn(models.data, successor, fromModel);
  const toModel = picked ?? (suggested || firstOther(models.data, fromModel));
  const isTyped = useDebouncedText(toModel, typingMs) === toModel;
  const missing = acceptsAnyModel(models.data) ? 'Enter the new model' : 'Your key cannot use any other model';
  return {
    list: models.data,
    missing: toModel === '' ? missing : undefined,
    isKnown: models.isFetched && toModel !== '' && isTyped,
    suggested,
    fromModel,
    toModel,
    pick: setPicked,
  };
}

export function NewModelField({ suggested, fromModel, toModel, pick }: ReturnType<typeof useReplacementModel>) {
  const suggestion = {
    id: suggested,
    label: modelName(suggested),
    isChosen: toModel === suggested,
    onTake: () => pick(suggested),
  };
  return (
    <Field label="New model">
      {(control) => (
        <ModelSelect
          control={control}
          value={toModel}
          extras={suggested === '' ? [] : [{ title: 'Suggested', options: [suggestion] }]}
          without={[fromModel, suggested]}
          onChange={pick}
        />
      )}
    </Field>
  );
}
