import { useRef, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { DeletionDescription, DeletionSummary } from './deletion-summary.tsx';
import { ProviderFiles } from './provider-files.tsx';
import { useDeleteAccount } from './use-delete-account.ts';

/** Asks for the password: an open browser alone is not enough to close the account. */
export function CloseAccountDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [removeAtProvider, setRemoveAtProvider] = useState(false);
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { isPending, close } = useDeleteAccount();

  const refuse = (message: string) => {
    setError(message);
    field.current?.focus();
    field.current?.select();
  };
  const submit = async () => {
    if (password === '') return refuse('Enter your password to close the account.');
    const failure = await close({ password, removeAtProvider });
    if (!(failure instanceof ApiError)) return;
    if (failure.fields?.password) refuse(failure.fields.password);
    else if (failure.code === 'invalid_credentials') refuse(failure.message);
  };

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
      <ProviderFiles checked={removeAtProvider} onChange={setRemoveAtProvider} />
      <Field label="Password" error={error}>
        {(control) => (
          <SecretInput
            {...control}
            ref={field}
            data-autofocus
            what="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => {
              setPassword(event.currentTarget.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
    </FormDialog>
  );
}
