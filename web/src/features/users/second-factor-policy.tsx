import { requirements, SecondFactorPolicy } from '@roster/contracts/second-factor';
import { useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { z } from 'zod';
import { errorText } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { policyQuery, useSavePolicy } from './queries.ts';

const labels: Record<SecondFactorPolicy['requiredOf'], string> = {
  nobody: 'Nobody',
  administrators: 'Administrators',
  everybody: 'Everybody',
};

const Form = z.object({
  requiredOf: SecondFactorPolicy.shape.requiredOf,
  graceDays: z
    .string()
    .transform((typed) => (typed.trim() === '' ? Number.NaN : Number(typed)))
    .pipe(SecondFactorPolicy.shape.graceDays),
});

/** Lets administrators require a second factor. */
export function SecondFactorPolicyTab() {
  const query = useQuery(policyQuery);
  if (query.isError)
    return (
      <ErrorState
        title="Failed to load the rule"
        message={errorText(query.error)}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SpinnerPanel label="Loading the rule" className="min-h-72" />;
  return <PolicyForm {...query.data} />;
}

function PolicyForm({ without, requiredOf, graceDays }: SecondFactorPolicy & { without: number }) {
  const save = useSavePolicy();
  const form = useSchemaForm(Form, { requiredOf, graceDays: String(graceDays) });
  const isRequired = form.watch('requiredOf') !== 'nobody';
  const submit = form.handleSubmit((policy) =>
    save.mutate(policy, {
      onSuccess: () => toast({ title: 'Saved', description: 'The rule applies from now on.' }),
      onError: showFormFailure(form, 'Failed to save the rule', 'Please try again.'),
    }),
  );
  return (
    <Card>
      <CardHeader
        title="Second factor"
        description="Who must use an authenticator app or a passkey when signing in. After the grace period, an account without one can only set one up."
      />
      <form onSubmit={submit} noValidate className="grid gap-5 p-5">
        <Controller
          control={form.control}
          name="requiredOf"
          render={({ field }) => (
            <RadioGroup
              label="Required for"
              layout="row"
              value={field.value}
              onValueChange={field.onChange}
              options={requirements.map((value) => ({ value, label: labels[value] }))}
            />
          )}
        />
        {isRequired && (
          <Field
            label="Grace period (days)"
            hint="For a new account it starts when the account is created."
            error={form.formState.errors.graceDays?.message}
          >
            {(control) => (
              <Input {...control} {...form.register('graceDays')} inputMode="numeric" className="max-w-32" />
            )}
          </Field>
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted-foreground text-sm">
            {without === 0
              ? 'Every active account has a second factor.'
              : without === 1
                ? '1 active account has no second factor.'
                : `${without} active accounts have no second factor.`}
          </p>
          <Button type="submit" variant="primary" busy={save.isPending} pendingLabel="Saving...">
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
