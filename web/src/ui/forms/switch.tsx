import { type ComponentProps, type ReactNode, useId } from 'react';

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role' | 'className'> & {
  label: ReactNode;
  description?: ReactNode;
};

/** A setting that applies at once: a row with its label on the left. A native checkbox with the role switch. */
export function Switch({ label, description, ...rest }: SwitchProps) {
  const labelId = useId();
  const descriptionId = useId();
  return (
    <label className="flex items-center justify-between gap-6">
      <span className="min-w-0">
        <span id={labelId} className="block font-medium">
          {label}
        </span>
        {description && (
          <span id={descriptionId} className="sentence block text-muted-foreground text-sm">
            {description}
          </span>
        )}
      </span>
      <span className="relative inline-flex h-5 w-9 shrink-0">
        <input
          {...rest}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox says itself whether it is checked.
          role="switch"
          aria-labelledby={labelId}
          aria-describedby={description ? descriptionId : undefined}
          className="peer h-5 w-9 cursor-pointer appearance-none rounded-full bg-[color-mix(in_oklab,var(--foreground)_28%,var(--background))] transition-colors duration-140 checked:bg-primary-fill disabled:cursor-not-allowed disabled:opacity-50"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-0.5 inset-s-0.5 size-4 rounded-full bg-white transition-transform duration-140 peer-checked:translate-x-4 rtl:peer-checked:-translate-x-4 peer-checked:bg-primary-foreground"
        />
      </span>
    </label>
  );
}
