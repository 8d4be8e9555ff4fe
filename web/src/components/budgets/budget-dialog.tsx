import { BudgetInput } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { assistantsQuery } from '#web/api/assistants.ts';
import { isActive, projectsQuery } from '#web/api/projects.ts';
import { type AnyBudget, type BudgetScope, budgetSubject, isProjectBudget, useSaveBudget } from '#web/api/usage.ts';
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
  budget: AnyBudget | null;
  budgets: readonly AnyBudget[];
  /** Sets the budget of this project; without it, a new one is for what the user chooses. */
  project?: { id: number; name: string };
  tz: string;
  onClose: () => void;
};

const everything = 'all';
const assistantValue = (id: number) => `assistant ${id}`;
const projectValue = (id: number) => `project ${id}`;
const scopeValue = (budget: AnyBudget) => {
  if (isProjectBudget(budget)) return projectValue(budget.project.id);
  return budget.assistant ? assistantValue(budget.assistant.id) : everything;
};
const toScope = (value: string): BudgetScope => {
  const [kind, id] = value.split(' ');
  if (kind === everything) return { assistantId: null };
  return kind === 'project' ? { projectId: Number(id) } : { assistantId: Number(id) };
};

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
type Option = { value: string; name: string };
type BudgetFormState = UseFormReturn<z.input<typeof BudgetForm>, unknown, z.output<typeof BudgetForm>>;

/** Scopes that have no budget yet, and the selected one. */
function useScope(budgets: readonly AnyBudget[]) {
  const taken = new Set(budgets.map(scopeValue));
  const assistants = useQuery(assistantsQuery);
  const projects = useQuery(projectsQuery);
  const free = (options: Option[]) => options.filter(({ value }) => !taken.has(value));
  const groups: { label: string; options: Option[] }[] = [
    {
      label: 'Assistants',
      options: free((assistants.data ?? []).map(({ id, name }) => ({ value: assistantValue(id), name }))),
    },
    {
      label: 'Projects',
      options: free((projects.data ?? []).filter(isActive).map(({ id, name }) => ({ value: projectValue(id), name }))),
    },
  ].filter(({ options }) => options.length > 0);
  const general = free([{ value: everything, name: 'All requests' }]);
  const [chosen, setChosen] = useState<string | null>(null);
  const first = [...general, ...groups.flatMap(({ options }) => options)][0];
  return {
    scope: chosen ?? first?.value ?? '',
    choose: setChosen,
    general,
    groups,
    isFull: assistants.isSuccess && projects.isSuccess && first === undefined,
  };
}

const typedOf = (budget: AnyBudget | null) => ({
  amountUsd: budget ? writeAmount(budget.amountUsd) : '',
  warnAt: budget ? writeAmount(Math.round(budget.warnAt * 1000) / 10) : '80',
  hardStop: budget?.hardStop ?? false,
});

export function BudgetDialog({ budget, budgets, project, tz, onClose }: BudgetDialogProps) {
  const { scope, choose, general, groups, isFull } = useScope(budgets);
  const fixed = budget ? scopeValue(budget) : project && projectValue(project.id);
  const form = useSchemaForm(BudgetForm, typedOf(budget));
  const { mutate, isPending, error } = useSaveBudget();

  const submit = form.handleSubmit((values) => {
    mutate(
      { scope: toScope(fixed ?? scope), ...values, tz },
      {
        onSuccess: (saved) => {
          const whose = budgetSubject(saved) ?? 'all requests';
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
        fixed === undefined && isFull ? 'Everything already has a budget. Change an existing one.' : undefined
      }
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to save the budget', error }}
      className="space-y-5"
    >
      {fixed !== undefined ? (
        <p className="text-muted-foreground">
          For{' '}
          <span className="font-medium text-foreground">
            {(budget ? budgetSubject(budget) : project?.name) ?? 'all requests'}
          </span>
        </p>
      ) : (
        <ScopeField scope={scope} general={general} groups={groups} onChange={choose} />
      )}
      <BudgetFields form={form} />
    </FormDialog>
  );
}

type ScopeFieldProps = Pick<ReturnType<typeof useScope>, 'scope' | 'general' | 'groups'> & {
  onChange: (scope: string) => void;
};

function ScopeField({ scope, general, groups, onChange }: ScopeFieldProps) {
  return (
    <Field label="For" hint="All requests, one assistant, or the conversations of one project.">
      {(control) => (
        <Select {...control} value={scope} onChange={(event) => onChange(event.target.value)}>
          {general.map(toOption)}
          {groups.map(({ label, options }) => (
            <optgroup key={label} label={label}>
              {options.map(toOption)}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}

const toOption = ({ value, name }: Option) => (
  <option key={value} value={value}>
    {name}
  </option>
);

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
