import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { acceptsAnyModel, modelGroups, modelOptions } from '#web/api/model-groups.ts';
import { modelsQuery } from '#web/api/models.ts';
import { ModelSelect } from '#web/components/model-select.tsx';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import { Field } from '#web/ui/forms/field.tsx';

/** Models to choose from: the successor first, without the current one. */
function groupsFor(list: ModelList | undefined, fromModel: string, suggested: string) {
  const others = modelGroups(list, '').map(({ label, ids }) => ({
    label,
    ids: ids.filter((id) => id !== fromModel && id !== suggested),
  }));
  const first = suggested === '' ? [] : [{ label: 'Suggested', ids: [suggested] }];
  return [...first, ...others.filter(({ ids }) => ids.length > 0)];
}

/** The successor, if the key can use it as far as known. */
function suggestedIn(list: ModelList | undefined, successor: string | null, fromModel: string): string {
  if (successor === null || successor === fromModel) return '';
  if (list?.source !== 'provider') return successor;
  return list.models.some(({ id, lifecycle }) => id === successor && lifecycle !== 'gone') ? successor : '';
}

const typingMs = 300;

/** State of the replacement model: the successor until another is picked. */
export function useReplacementModel(fromModel: string, successor: string | null) {
  const models = useQuery(modelsQuery);
  const [picked, setPicked] = useState<string>();
  const groups = groupsFor(models.data, fromModel, suggestedIn(models.data, successor, fromModel));
  const toModel = picked ?? groups[0]?.ids[0] ?? '';
  const isTyped = useDebouncedText(toModel, typingMs) === toModel;
  const missing = acceptsAnyModel(models.data) ? 'Enter the new model' : 'Your key cannot use any other model';
  return {
    list: models.data,
    missing: toModel === '' ? missing : undefined,
    isKnown: models.isFetched && toModel !== '' && isTyped,
    groups,
    toModel,
    pick: setPicked,
  };
}

export function NewModelField({ list, groups, toModel, pick }: ReturnType<typeof useReplacementModel>) {
  return (
    <Field label="New model">
      {(control) => (
        <ModelSelect control={control} list={list} groups={modelOptions(groups)} value={toModel} onChange={pick} />
      )}
    </Field>
  );
}
