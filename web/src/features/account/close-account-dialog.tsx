import { type FormEvent, useId, useRef, useState } from 'react';
import { ApiError } from '#web/lib/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { SecretInput } from '#web/ui/secret-input.tsx';
import { ProviderFiles } from './provider-files.tsx';
import { useClosing } from './use-closing.ts';
import { ClosingDescription, WhatGoes } from './what-goes.tsx';

/** Asks for the password: whoever only found this browser open is not to close the account. */
export function CloseAccountDialog({ onClose }: { onClose: () => void }) {
  const formId = useId();
  const [password, setPassword] = useState('');
  const [removeAtProvider, setRemoveAtProvider] = useState(false);
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { isPending, close } = useClosing();

  const refuse = (message: string) => {
    setError(message);
    field.current?.focus();
    field.current?.select();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (password === '') return refuse('Enter your password to close the account.');
    const failure = await close({ password, removeAtProvider });
    if (!(failure instanceof ApiError)) return;
    if (failure.fields?.password) refuse(failure.fields.password);
    else if (failure.code === 'invalid_credentials') refuse(failure.message);
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      role="alertdialog"
      size="sm"
      title="Close account"
      description={<ClosingDescription />}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="destructive" busy={isPending} pendingLabel="Closing...">
            Close account
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate className="grid gap-5">
        <WhatGoes />
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
      </form>
    </Dialog>
  );
}
