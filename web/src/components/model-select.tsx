import { useQuery } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { useRef, useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { useConnectionNames } from '#web/api/use-model-name.ts';
import type { ExtraGroup } from '#web/components/model-picker/picker-rows.ts';
import type { ModelPickerProps } from '#web/components/model-picker/use-picker.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import type { ControlProps } from '#web/ui/forms/field.tsx';
import { controlClass } from '#web/ui/forms/input.tsx';

const ModelPicker = lazyPart<ModelPickerProps>(
  async () => (await import('#web/components/model-picker/model-picker.tsx')).ModelPicker,
);

type ModelSelectProps = Pick<ModelPickerProps, 'without'> & {
  name?: string;
  className?: string;
  onBlur?: () => void;
  control: ControlProps;
  ref?: (element: HTMLElement | null) => void;
  /** Empty: no model. */
  value: string;
  /** Label of the option for no model; without it a model is always selected. */
  empty?: string;
  /** Options above the models. */
  extras?: readonly ExtraGroup[];
  onChange: (model: string) => void;
};

const noExtras: readonly ExtraGroup[] = [];

/** The text of the field, and the options that stand above the models. */
function useOptions({ value, empty, extras = noExtras, onChange }: ModelSelectProps) {
  const { data: list } = useQuery(modelsQuery);
  useConnectionNames(value);
  const none = { id: 'none', label: empty ?? '', isChosen: value === '', onTake: () => onChange('') };
  const chosenBefore = { id: 'before', label: modelName(value), isChosen: true, onTake: () => onChange(value) };
  const chosen = extras.flatMap(({ options }) => options).find((option) => option.isChosen);
  const groups = [
    ...(empty === undefined ? [] : [{ title: 'None', options: [none] }]),
    ...(value !== '' && !chosen && list && !findModel(list, value)
      ? [{ title: 'Previously selected', options: [chosenBefore] }]
      : []),
    ...extras,
  ];
  const text = chosen?.label ?? (value === '' ? (empty ?? 'Choose a model') : modelName(value));
  return { text, groups, isExtra: chosen !== undefined };
}

/** A field that opens the picker of models. */
export function ModelSelect(props: ModelSelectProps) {
  const { control, ref, name, className, onBlur, value, without, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { text, groups, isExtra } = useOptions(props);
  return (
    <div className={classNames('relative min-w-0', className)}>
      <button
        {...control}
        ref={(element) => {
          button.current = element;
          ref?.(element);
        }}
        type="button"
        name={name}
        value={value}
        role="combobox"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onBlur={onBlur}
        onFocus={ModelPicker.preload}
        onPointerEnter={ModelPicker.preload}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
        className={classNames(controlClass, 'flex h-9 items-center pe-9 text-start max-md:h-10')}
      >
        <bdi className="truncate">{text}</bdi>
      </button>
      <ChevronsUpDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 inset-e-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      {isOpen && (
        <ModelPicker
          anchor={() => button.current}
          label="Models"
          current={isExtra ? null : value}
          extras={groups}
          without={without}
          onChoose={onChange}
          onClose={(returnFocus) => {
            setOpen(false);
            if (returnFocus) button.current?.focus();
          }}
        />
      )}
    </div>
  );
}
