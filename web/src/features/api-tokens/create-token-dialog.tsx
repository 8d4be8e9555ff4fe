import {
  type AccessToken,
  NewAccessToken,
  type TokenPermission,
  tokenLifetimes,
  tokenPermissions,
} from '@roster/contracts/api-tokens';
import { useId } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { useUser } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { optionalAmountText, useSchemaForm } from '#web/lib/schema-form.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { permissionHints, permissionNames } from './permissions.ts';
import { useCreateToken } from './queries.ts';

type CreateTokenDialogProps = { onClose: () => void; onCreated: (created: AccessToken & { token: string }) => void };

const never = 'never';

const TokenForm = z.object({
  ...NewAccessToken.shape,
  expiresInDays: z.string().transform((days) => tokenLifetimes.find((one) => String(one) === days) ?? null),
  monthlyBudgetUsd: optionalAmountText('Enter an amount such as 20, or leave it empty').pipe(
    NewAccessToken.shape.monthlyBudgetUsd.unwrap(),
  ),
});
type TokenFormState = UseFormReturn<z.input<typeof TokenForm>, unknown, z.output<typeof TokenForm>>;

const usual: { name: string; rights: TokenPermission[]; expiresInDays: string; monthlyBudgetUsd: string } = {
  name: '',
  rights: ['chat'],
  expiresInDays: '90',
  monthlyBudgetUsd: '',
};

export function CreateTokenDialog({ onClose, onCreated }: CreateTokenDialogProps) {
  const isViewer = useUser().role === 'Viewer';
  const form = useSchemaForm(TokenForm, usual);
  const { errors } = form.formState;
  const { mutate, isPending, error } = useCreateToken();
  return (
    <FormDialog
      title="New Access Token"
      description="Gives a program the access you choose. You will see the token only once."
      action={['Create Token', 'Creating...']}
      busy={isPending}
      onSubmit={form.handleSubmit((token) => mutate(token, { onSuccess: onCreated }))}
      onClose={onClose}
      failed={{ title: 'Failed to create the access token', error }}
      className="grid gap-5"
    >
      <Field label="Name" required hint="The program or machine that uses it." error={errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" />}
      </Field>
      <Permissions form={form} isViewer={isViewer} problem={errors.rights?.message} />
      <Limits form={form} problem={errors.monthlyBudgetUsd?.message} />
    </FormDialog>
  );
}

type FieldsProps = { form: TokenFormState; problem: string | undefined };

function Limits({ form, problem }: FieldsProps) {
  return (
    <div className="grid items-start gap-5 sm:grid-cols-2">
      <Field label="Expires">
        {(control) => (
          <Select {...control} {...form.register('expiresInDays')}>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In 365 days</option>
            <option value={never}>Never</option>
          </Select>
        )}
      </Field>
      <Field
        label="Monthly budget (USD)"
        hint="Based on estimated cost. Further calls are refused. Leave empty for no limit."
        error={problem}
      >
        {(control) => (
          <Input
            {...control}
            {...form.register('monthlyBudgetUsd')}
            inputMode="decimal"
            autoComplete="off"
            placeholder="20.00"
          />
        )}
      </Field>
    </div>
  );
}

function Permissions({ form, isViewer, problem }: FieldsProps & { isViewer: boolean }) {
  const noteId = useId();
  const note = problem ?? (isViewer ? 'Tokens of Viewers have only the Chat permission.' : undefined);
  return (
    <fieldset className="grid min-w-0 gap-3" aria-describedby={note ? noteId : undefined}>
      <legend className="mb-1.5 font-medium">Permissions</legend>
      {tokenPermissions
        .filter((right) => right === 'chat' || !isViewer)
        .map((right) => (
          <Checkbox
            key={right}
            {...form.register('rights')}
            value={right}
            label={permissionNames[right]}
            description={permissionHints[right]}
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
