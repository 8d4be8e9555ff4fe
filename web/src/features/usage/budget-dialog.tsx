import type { Budget } from '@roster/contracts/usage/usage';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useSaveBudget } from '#web/api/usage.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { readAmount, writeAmount } from '#web/lib/amount.ts';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { formatCost } from '#web/lib/format.ts';
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
type Problems = { amount?: string; warnAt?: string };

const everything = 'all';

function problemsOf(amount: number, warnAt: number): Problems {
  const found: Problems = {};
  if (Number.isNaN(amount)) found.amount = 'Enter an amount such as 20';
  else if (amount < 0.01) found.amount = 'Enter at least $0.01';
  else if (amount > 1_000_000) found.amount = 'This amount is too high';
  if (Number.isNaN(warnAt)) found.warnAt = 'Enter a share such as 80';
  else if (warnAt < 10) found.warnAt = 'Warn at 10% at the earliest';
  else if (warnAt > 100) found.warnAt = 'Warn at 100% at the latest';
  return found;
}

/** What can still have a budget of its own, and which of it is meant. */
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

type Fields = { amount: string; warnAt: string; hardStop: boolean };

const fieldsOf = (budget: Budget | null): Fields => ({
  amount: budget ? writeAmount(budget.amountUsd) : '',
  warnAt: budget ? writeAmount(Math.round(budget.warnAt * 1000) / 10) : '80',
  hardStop: budget?.hardStop ?? false,
});

export function BudgetDialog({ budget, budgets, tz, onClose }: BudgetDialogProps) {
  const { scope, choose, options, isFull } = useScope(budgets);
  const [fields, setFields] = useState(() => fieldsOf(budget));
  const [problems, setProblems] = useState<Problems>({});
  const { mutate, isPending, error } = useSaveBudget();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    const [usd, percent] = [readAmount(fields.amount), readAmount(fields.warnAt.replace('%', ''))];
    const found = problemsOf(usd, percent);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    const assistantId = budget ? (budget.assistant?.id ?? null) : scope === everything ? null : Number(scope);
    mutate(
      { assistantId, amountUsd: usd, warnAt: percent / 100, hardStop: fields.hardStop, tz },
      {
        onSuccess: (saved) => {
          const whose = saved.assistant?.name ?? 'all requests';
          toast({ title: 'Budget saved', description: `${formatCost(saved.amountUsd)} a month for ${whose}.` });
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={budget ? 'Change budget' : 'Add budget'}
      description="An amount for each calendar month, by estimated costs. Requests without a known price are not counted."
      action={['Save budget', 'Saving...']}
      disabledReason={budget === null && isFull ? 'Everything has a budget already; change those.' : undefined}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The budget was not saved', error }}
      className="space-y-5"
    >
      {budget ? (
        <p className="text-muted-foreground">
          For <span className="font-medium text-foreground">{budget.assistant?.name ?? 'all requests'}</span>
        </p>
      ) : (
        <ScopeField scope={scope} options={options} onChange={choose} />
      )}
      <BudgetFields
        fields={fields}
        problems={problems}
        onChange={(changes) => setFields((now) => ({ ...now, ...changes }))}
      />
    </FormDialog>
  );
}

type ScopeFieldProps = Pick<ReturnType<typeof useScope>, 'scope' | 'options'> & { onChange: (scope: string) => void };

function ScopeField({ scope, options, onChange }: ScopeFieldProps) {
  return (
    <Field label="For" hint="One budget for everything, and one for each assistant.">
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

type BudgetFieldsProps = { fields: Fields; problems: Problems; onChange: (changes: Partial<Fields>) => void };

function BudgetFields({ fields, problems, onChange }: BudgetFieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Amount a month (USD)" required error={problems.amount}>
          {(control) => (
            <Input
              {...control}
              name="amount"
              inputMode="decimal"
              autoComplete="off"
              placeholder="20.00"
              value={fields.amount}
              onChange={(event) => onChange({ amount: event.target.value })}
            />
          )}
        </Field>
        <Field label="Warn at (% of it)" required error={problems.warnAt}>
          {(control) => (
            <Input
              {...control}
              name="warnAt"
              inputMode="decimal"
              autoComplete="off"
              value={fields.warnAt}
              onChange={(event) => onChange({ warnAt: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Switch
        label="Hard stop"
        description="When it is used up, messages are refused unless you choose to send them anyway."
        checked={fields.hardStop}
        onChange={(event) => onChange({ hardStop: event.target.checked })}
      />
    </>
  );
}
