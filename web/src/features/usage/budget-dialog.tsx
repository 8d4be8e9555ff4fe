import { type Budget, BudgetInput } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useSaveBudget } from '#web/api/usage.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { amountText, useSchemaForm } from '#web/lib/schema-form.ts';
import { writeAmount } from '#web/lib/text/amount.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { toast } from '#web/ui/states/toast.tsx';

type BudgetDialogProps = {
  /** null for a new one. */
  budget: Budget | null;
  budgets: readonly Budget[];
  tz: string;
  onClose: () => void;
};

const everything = 'all';

const BudgetForm = z.object({
  amountUsd: amountText('Enter an amount such as 20').pipe(BudgetInput.shape.amountUsd),
  // Typed as a percentage.
  warnAt: z
    .string()
    .overwrite((typed) => typed.replace('%', ''))
    .pipe(amountText('Enter a percentage such as 80'))
    .pipe(z.number().min(10, 'Enter 10% or more').max(100, 'Enter 100% or less'))
    .transform((percent) => percent / 100),
  hardStop: z.boolean(),
});
type BudgetFormState = UseFormReturn<z.input<typeof BudgetForm>, unknown, z.output<typeof BudgetForm>>;

/** Scopes that have no budget yet, and the selected one. */
function useScope(budgets: readonly Budget[]) {
  const taken = new Set(budgets.map(({ assistant }) => assistant?.id ?? null));
  const assistants = useQuery(assistantsQuery);
  const free = assistants.data?.filter(({ id }) => !taken.has(id)) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  return {
    scope: chosen ?? (taken.has(null) ? String(free[0]?.id ?? '') : everything),
    choose: setChosen,
    options: [
      ...(taken.has(null) ? [] : [{ value: everything, name: 'All requests' }]),
      ...free.map(({ id, name }) => ({ value: String(id), name })),
    ],
    isFull: assistants.isSuccess && taken.has(null) && free.length === 0,
  };
}

const typedOf = (budget: Budget | null) => ({
  amountUsd: budget ? writeAmount(budget.amountUsd) : '',
  warnAt: budget ? writeAmount(Math.round(budget.warnAt * 1000) / 10) : '80',
  hardStop: budget?.hardStop ?? false,
});

export function BudgetDialog({ budget, budgets, tz, onClose }: BudgetDialogProps) {
  const { scope, choose, options, isFull } = useScope(budgets);
  const form = useSchemaForm(BudgetForm, typedOf(budget));
  const { mutate, isPending, error } = useSaveBudget();

  const submit = form.handleSubmit((values) => {
    const assistantId = budget ? (budget.assistant?.id ?? null) : scope === everything ? null : Number(scope);
    mutate(
      { assistantId, ...values, tz },
      {
        onSuccess: (saved) => {
          const whose = saved.assistant?.name ?? 'all requests';
          toast({ title: 'Budget saved', description: `${formatCost(saved.amountUsd)} a month for ${whose}.` });
          onClose();
        },
      },
    );
  });
  return (
    <FormDialog
      title={budget ? 'Change budget' : 'Add budget'}
      description="A limit for each calendar month, based on estimated cost. Requests with no known price are not included."
      action={['Save budget', 'Saving...']}
      disabledReason={
        budget === null && isFull ? 'Everything already has a budget. Change an existing one.' : undefined
      }
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to save the budget', error }}
      className="space-y-5"
    >
      {budget ? (
        <p className="text-muted-foreground">
          For <span className="font-medium text-foreground">{budget.assistant?.name ?? 'all requests'}</span>
        </p>
      ) : (
        <ScopeField scope={scope} options={options} onChange={choose} />
      )}
      <BudgetFields form={form} />
    </FormDialog>
  );
}

type ScopeFieldProps = Pick<ReturnType<typeof useScope>, 'scope' | 'options'> & { onChange: (scope: string) => void };

function ScopeField({ scope, options, onChange }: ScopeFieldProps) {
  return (
    <Field label="For" hint="All requests, or one assistant.">
      {(control) => (
        <Select {...control} value={scope} onChange={(event) => onChange(event.target.value)}>
          {options.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function BudgetFields({ form }: { form: BudgetFormState }) {
  const { errors } = form.formState;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Monthly amount (USD)" required error={errors.amountUsd?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('amountUsd')}
              inputMode="decimal"
              autoComplete="off"
              placeholder="20.00"
            />
          )}
        </Field>
        <Field label="Warn at (%)" required error={errors.warnAt?.message}>
          {(control) => <Input {...control} {...form.register('warnAt')} inputMode="decimal" autoComplete="off" />}
        </Field>
      </div>
      <Switch
        {...form.register('hardStop')}
        label="Hard stop"
        description="Once it is used up, messages are blocked unless you choose to send them anyway."
      />
    </>
  );
}
