import type { Budget } from '@roster/contracts/usage';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { assistantsQuery } from '#web/data/assistants.ts';
import { useSaveBudget } from '#web/data/usage.ts';
import { readAmount, writeAmount } from '#web/lib/amount.ts';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { formatCost } from '#web/lib/format.ts';
import { FormDialog } from '#web/parts/form-dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { Select } from '#web/ui/select.tsx';
import { Switch } from '#web/ui/switch.tsx';
import { toast } from '#web/ui/toast.tsx';

type BudgetDialogProps = {
  /** null: a new one. */
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

export function BudgetDialog({ budget, budgets, tz, onClose }: BudgetDialogProps) {
  const taken = new Set(budgets.map(({ assistant }) => assistant?.id ?? null));
  const assistants = useQuery(assistantsQuery);
  const free = assistants.data?.filter(({ id }) => !taken.has(id)) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const scope = chosen ?? (taken.has(null) ? String(free[0]?.id ?? '') : everything);
  const [amount, setAmount] = useState(budget ? writeAmount(budget.amountUsd) : '');
  const [warnAt, setWarnAt] = useState(budget ? writeAmount(Math.round(budget.warnAt * 1000) / 10) : '80');
  const [hardStop, setHardStop] = useState(budget?.hardStop ?? false);
  const [problems, setProblems] = useState<Problems>({});
  const { mutate, isPending, error } = useSaveBudget();
  const isFull = budget === null && assistants.isSuccess && taken.has(null) && free.length === 0;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    const [usd, percent] = [readAmount(amount), readAmount(warnAt.replace('%', ''))];
    const found = problemsOf(usd, percent);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    const assistantId = budget ? (budget.assistant?.id ?? null) : scope === everything ? null : Number(scope);
    mutate(
      { assistantId, amountUsd: usd, warnAt: percent / 100, hardStop, tz },
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
      disabledReason={isFull ? 'Everything has a budget already; change those.' : undefined}
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
        <Field label="For" hint="One budget for everything, and one for each assistant.">
          {(control) => (
            <Select {...control} value={scope} onChange={(event) => setChosen(event.target.value)}>
              {!taken.has(null) && <option value={everything}>All requests</option>}
              {free.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Amount a month (USD)" required error={problems.amount}>
          {(control) => (
            <Input
              {...control}
              name="amount"
              inputMode="decimal"
              autoComplete="off"
              placeholder="20.00"
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
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
              value={warnAt}
              onChange={(event) => setWarnAt(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Switch
        label="Hard stop"
        description="When it is used up, messages are refused unless you choose to send them anyway."
        checked={hardStop}
        onChange={(event) => setHardStop(event.target.checked)}
      />
    </FormDialog>
  );
}
