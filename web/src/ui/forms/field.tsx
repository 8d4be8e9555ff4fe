import { type ReactNode, useId } from 'react';
import { classNames } from '#web/ui/class-names.ts';

/** Props that a field passes to its control; spread them on an Input, Textarea, Select or Slider. */
export type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
  'aria-required': boolean | undefined;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** Replaces the hint. */
  error?: string | undefined;
  required?: boolean | undefined;
  /** Characters used and allowed, in code points. */
  counter?: { value: number; max: number } | undefined;
  /** Shown right of the label: a link or a value. */
  aside?: ReactNode;
  className?: string | undefined;
  children: (props: ControlProps) => ReactNode;
};

/** Connects label, control, hint, counter and error for accessibility. */
export function Field({ label, hint, error, required, counter, aside, className, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const over = counter !== undefined && counter.value > counter.max;
  const note = error ?? hint;
  return (
    <div className={classNames('min-w-0', className)}>
      <div className="mb-1.5 flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="font-medium">
          {label}
          {required && (
            <span aria-hidden="true" className="text-destructive-text" title="Required">
              {' *'}
            </span>
          )}
        </label>
        {aside}
      </div>
      {children({
        id,
        'aria-describedby': note || counter ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': required || undefined,
      })}
      {(note || counter) && (
        <div id={noteId} className="mt-1.5 flex items-start justify-between gap-4 text-sm">
          <p role={error ? 'alert' : undefined} className={error ? 'text-destructive-text' : 'text-muted-foreground'}>
            {note}
          </p>
          {counter && (
            <p
              className={classNames(
                'shrink-0 tabular-nums',
                over ? 'font-medium text-destructive-text' : 'text-muted-foreground',
              )}
            >
              {counter.value.toLocaleString('en-US')}/{counter.max.toLocaleString('en-US')}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
