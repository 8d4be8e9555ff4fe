import { type ReactNode, useId } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';

type RadioOption<Value extends string> = {
  value: Value;
  label: ReactNode;
  description?: ReactNode;
  icon?: Icon;
};

type RadioGroupProps<Value extends string> = {
  label: ReactNode;
  value: Value;
  onValueChange: (value: Value) => void;
  options: readonly RadioOption<Value>[];
  /** `row`: side by side if there is room. */
  layout?: 'column' | 'row' | undefined;
  hideLabel?: boolean | undefined;
};

/** A choice of a few options, all visible; native radio buttons in framed rows. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { label, value, onValueChange, options, layout = 'column', hideLabel } = props;
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className={hideLabel ? 'sr-only' : 'mb-1.5 font-medium'}>{label}</legend>
      <div className={classNames('grid gap-2', layout === 'row' && 'sm:auto-cols-fr sm:grid-flow-col')}>
        {options.map(({ value: option, label: text, description, icon: IconPart }) => (
          <label
            key={option}
            className="flex items-start gap-2.5 rounded-md border border-border bg-background px-3 py-2.5 transition-colors duration-120 hover:border-border-strong has-checked:border-primary has-focus-visible:outline-2 has-focus-visible:outline-ring has-focus-visible:outline-offset-2"
          >
            <span className="flex h-5 items-center">
              <input
                type="radio"
                name={name}
                value={option}
                checked={option === value}
                onChange={() => onValueChange(option)}
                className="size-4 cursor-pointer appearance-none rounded-full border border-[color-mix(in_oklab,var(--foreground)_34%,var(--background))] bg-background outline-none checked:border-[5px] checked:border-primary-fill"
              />
            </span>
            <span className="min-w-0 flex-1">
              <span className="flex items-center gap-2">
                {IconPart && <IconPart aria-hidden className="size-4 text-muted-foreground" />}
                {text}
              </span>
              {description && <span className="mt-0.5 block text-muted-foreground text-sm">{description}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
