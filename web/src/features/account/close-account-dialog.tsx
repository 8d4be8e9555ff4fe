import { AccountDeletion } from '@roster/contracts/account';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { DeletionDescription, DeletionSummary } from './deletion-summary.tsx';
import { ProviderFiles } from './provider-files.tsx';
import { useDeleteAccount } from './use-delete-account.ts';

const ClosingForm = z.object({
  password: AccountDeletion.shape.password.unwrap().min(1, 'Enter your password to close the account.'),
  removeAtProvider: z.boolean(),
});

/** Requires the password: an open browser alone must not be able to close the account. */
export function CloseAccountDialog({ onClose }: { onClose: () => void }) {
  const form = useSchemaForm(ClosingForm, { password: '', removeAtProvider: false });
  const { isPending, close } = useDeleteAccount();

  const submit = form.handleSubmit(async (values) => {
    const failure = await close(values);
    if (!(failure instanceof ApiError)) return;
    if (failure.code === 'invalid_credentials') form.setError('password', { message: failure.message });
    else if (!showFieldErrors(form, failure)) return;
    form.setFocus('password', { shouldSelect: true });
  });

  return (
    <FormDialog
      role="alertdialog"
      size="sm"
      title="Close account"
      description={<DeletionDescription />}
      action={['Close account', 'Closing...']}
      destructive
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <DeletionSummary />
      <ProviderFiles
        checked={form.watch('removeAtProvider')}
        onChange={(removeAtProvider) => form.setValue('removeAtProvider', removeAtProvider)}
      />
      <Field label="Password" error={form.formState.errors.password?.message}>
        {(control) => (
          <SecretInput
            {...control}
            {...form.register('password', { onChange: () => form.clearErrors('password') })}
            data-autofocus
            what="password"
            autoComplete="current-password"
          />
        )}
      </Field>
    </FormDialog>
  );
}
