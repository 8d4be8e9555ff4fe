import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import type { JobFormState } from './job-form.ts';

const parameters = [
  { name: 'n_epochs', label: 'Epochs', hint: 'Passes through the file, 1 to 50.' },
  { name: 'batch_size', label: 'Batch size', hint: 'Examples per step, 1 to 256.' },
  { name: 'learning_rate_multiplier', label: 'Learning rate multiplier', hint: 'Above 0, up to 100.' },
  { name: 'beta', label: 'Beta', hint: 'How close it stays to the base model, above 0, up to 2.' },
] as const;

/** 'auto' leaves a value to the provider. */
export function HyperparameterFields({ form }: { form: JobFormState }) {
  const { errors, defaultValues } = form.formState;
  const shown = parameters.filter(({ name }) => name !== 'beta' || form.watch('method') === 'dpo');
  const hasError = shown.some(({ name }) => errors[name]);
  // Open at once if an earlier job set values.
  const isGiven = shown.some(({ name }) => defaultValues?.[name] !== 'auto');
  return (
    <details open={hasError || isGiven || undefined} className="rounded-md border border-border">
      <summary className="rounded-md px-3.5 py-2.5 font-medium">
        Hyperparameters <span className="font-normal text-muted-foreground">(automatic unless you set them)</span>
      </summary>
      <div className="grid gap-4 px-3.5 pt-2 pb-4 sm:grid-cols-2">
        {shown.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint} error={errors[name]?.message}>
            {(control) => (
              <Input {...control} {...form.register(name)} inputMode="decimal" autoComplete="off" placeholder="auto" />
            )}
          </Field>
        ))}
      </div>
    </details>
  );
}
