import { type AccessToken, type TokenPermission, tokenLifetimes, tokenPermissions } from '@roster/contracts/api-tokens';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { type FormEvent, useId, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { readAmount } from '#web/lib/amount.ts';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { permissionHints, permissionNames } from './permissions.ts';
import { useCreateToken } from './queries.ts';

type CreateTokenDialogProps = { onClose: () => void; onCreated: (created: AccessToken & { token: string }) => void };
type Problems = { name?: string; rights?: string; budget?: string };

const never = 'never';

function problemsOf(name: string, rights: TokenPermission[], budget: string): Problems {
  const found: Problems = {};
  if (isBlank(name)) found.name = 'Name is required';
  else if (codePointLength(name) > 60) found.name = 'The name cannot exceed 60 characters';
  if (rights.length === 0) found.rights = 'Choose at least one right';
  if (budget.trim() === '') return found;
  const amount = readAmount(budget);
  if (Number.isNaN(amount)) found.budget = 'Enter an amount such as 20, or leave it empty';
  else if (amount < 0.01) found.budget = 'Enter at least $0.01';
  else if (amount > 1_000_000) found.budget = 'This amount is too high';
  return found;
}

export function CreateTokenDialog({ onClose, onCreated }: CreateTokenDialogProps) {
  const isViewer = useUser().role === 'Viewer';
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [rights, setRights] = useState<TokenPermission[]>(['chat']);
  const [budget, setBudget] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const { mutate, isPending, error } = useCreateToken();
  const change = (right: TokenPermission, isOn: boolean) =>
    setRights(tokenPermissions.filter((one) => (one === right ? isOn : rights.includes(one))));

  const submit = (event: FormEvent<HTMLFormElement>) => {
    const found = problemsOf(name, rights, budget);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    const lifetime = tokenLifetimes.find((one) => String(one) === days) ?? null;
    const monthlyBudgetUsd = budget.trim() === '' ? null : readAmount(budget);
    mutate({ name: name.trim(), rights, expiresInDays: lifetime, monthlyBudgetUsd }, { onSuccess: onCreated });
  };
  return (
    <FormDialog
      title="New Access Token"
      description="Lets a program use your account within the rights that you choose. It is shown once."
      action={['Create Token', 'Creating...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The access token was not created', error }}
      className="grid gap-5"
    >
      <Field label="Name" required hint="The program or machine that uses it." error={problems.name}>
        {(control) => (
          <Input
            {...control}
            name="name"
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Rights chosen={rights} onChange={change} isViewer={isViewer} problem={problems.rights} />
      <Limits days={days} onDays={setDays} budget={budget} onBudget={setBudget} problem={problems.budget} />
    </FormDialog>
  );
}

type LimitsProps = {
  days: string;
  onDays: (days: string) => void;
  budget: string;
  onBudget: (budget: string) => void;
  problem: string | undefined;
};

function Limits({ days, onDays, budget, onBudget, problem }: LimitsProps) {
  return (
    <div className="grid items-start gap-5 sm:grid-cols-2">
      <Field label="Expires">
        {(control) => (
          <Select {...control} value={days} onChange={(event) => onDays(event.target.value)}>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In 365 days</option>
            <option value={never}>Never</option>
          </Select>
        )}
      </Field>
      <Field
        label="Monthly budget (USD)"
        hint="By estimated costs; calls beyond it are refused. Empty: none."
        error={problem}
      >
        {(control) => (
          <Input
            {...control}
            name="budget"
            inputMode="decimal"
            autoComplete="off"
            placeholder="20.00"
            value={budget}
            onChange={(event) => onBudget(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}

type RightsProps = {
  chosen: TokenPermission[];
  onChange: (right: TokenPermission, isOn: boolean) => void;
  isViewer: boolean;
  problem: string | undefined;
};

function Rights({ chosen, onChange, isViewer, problem }: RightsProps) {
  const noteId = useId();
  const note = problem ?? (isViewer ? 'With the role Viewer a token can chat and nothing else.' : undefined);
  return (
    <fieldset className="grid min-w-0 gap-3" aria-describedby={note ? noteId : undefined}>
      <legend className="mb-1.5 font-medium">Rights</legend>
      {tokenPermissions
        .filter((right) => right === 'chat' || !isViewer)
        .map((right) => (
          <Checkbox
            key={right}
            name="rights"
            label={permissionNames[right]}
            description={permissionHints[right]}
            checked={chosen.includes(right)}
            onChange={(event) => onChange(right, event.target.checked)}
          />
        ))}
      {note && (
        <p
          id={noteId}
          role={problem ? 'alert' : undefined}
          className={problem ? 'text-destructive-text text-sm' : 'text-muted-foreground text-sm'}
        >
          {note}
        </p>
      )}
    </fieldset>
  );
}
