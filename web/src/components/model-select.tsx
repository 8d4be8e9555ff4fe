import type { ModelList } from '@roster/contracts/models/models';
import { useId } from 'react';
import { acceptsAnyModel } from '#web/api/model-groups.ts';
import type { ControlProps } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';

type ModelOptionGroup = { label: string; options: readonly { id: string; words: string }[] };

type ModelSelectProps = {
  name?: string;
  className?: string;
  onBlur?: () => void;
  control: ControlProps;
  ref?: (element: HTMLInputElement | HTMLSelectElement | null) => void;
  list: ModelList | undefined;
  groups: readonly ModelOptionGroup[];
  value: string;
  /** Label of the option for no model; without it a model is always selected. */
  empty?: string;
  onChange: (model: string) => void;
};

/** Select of the provider's models, or a text field while the list is unavailable. */
export function ModelSelect({ control, list, groups, value, empty, onChange, ...rest }: ModelSelectProps) {
  const suggestions = useId();
  if (acceptsAnyModel(list))
    return (
      <>
        <Input
          {...control}
          {...rest}
          value={value}
          list={suggestions}
          placeholder={empty}
          onChange={(event) => onChange(event.target.value.trim())}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <datalist id={suggestions}>
          {groups.flatMap(({ options }) =>
            options.map(({ id, words }) => <option key={id} value={id} label={words} />),
          )}
        </datalist>
      </>
    );
  return (
    <Select {...control} {...rest} value={value} onChange={(event) => onChange(event.target.value)}>
      {empty !== undefined && <option value="">{empty}</option>}
      <ModelOptions groups={groups} />
    </Select>
  );
}

/** `toValue`: for selects whose values are not plain model ids. */
export function ModelOptions({ groups, toValue = (id) => id }: ModelOptionsProps) {
  return groups.map((group) => (
    <optgroup key={group.label} label={group.label}>
      {group.options.map(({ id, words }) => (
        <option key={id} value={toValue(id)}>
          {words}
        </option>
      ))}
    </optgroup>
  ));
}
type ModelOptionsProps = { groups: readonly ModelOptionGroup[]; toValue?: (id: string) => string };
