import { AppCode } from '@roster/contracts/second-factor';
import { type FormEventHandler, useEffect } from 'react';
import { z } from 'zod';
import { errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { QrCode } from './qr-code.tsx';
import { useConfirmApp, useStartApp } from './queries.ts';

const CodeForm = z.object({ code: AppCode });

/** `onAdded`: with the new recovery codes; null: the account has some already. */
export function useAppSetup(onAdded: (recoveryCodes: string[] | null) => void) {
  const start = useStartApp();
  const confirm = useConfirmApp();
  const form = useSchemaForm(CodeForm, { code: '' });
  const { mutate } = start;
  useEffect(() => mutate(), [mutate]);
  const submit: FormEventHandler = form.handleSubmit(({ code }) =>
    confirm.mutate(code, {
      onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
      onError(error) {
        if (!showFieldErrors(form, error)) showFailure('Failed to add the app', 'Please try again.')(error);
      },
    }),
  );
  return { start, form, submit, busy: confirm.isPending, isReady: start.isSuccess };
}

type AppSetup = ReturnType<typeof useAppSetup>;

/** The QR code, the secret as text, and the field for the first code. */
export function AppSetupFields({ start, form }: Pick<AppSetup, 'start' | 'form'>) {
  if (start.isError)
    return (
      <Notice
        tone="destructive"
        live
        title="Failed to start the setup"
        action={
          <Button size="sm" onClick={() => start.mutate()}>
            Try Again
          </Button>
        }
      >
        {errorText(start.error)}
      </Notice>
    );
  if (!start.data) return <SpinnerPanel label="Starting the setup" className="min-h-72" />;
  const { secret, uri } = start.data;
  return (
    <div className="grid gap-5">
      <div className="flex flex-col gap-5 sm:flex-row">
        <QrCode text={uri} label="QR code for your authenticator app" />
        <div className="grid min-w-0 flex-1 content-start gap-3">
          <p>Scan the QR code with an authenticator app, or enter this key there:</p>
          <div className="flex items-start gap-2">
            <code className="min-w-0 flex-1 rounded-md border border-border bg-background px-3 py-2 font-mono text-sm [overflow-wrap:anywhere]">
              {secret.replace(/(.{4})(?=.)/g, '$1 ')}
            </code>
            <CopyButton text={secret} label="Copy key" />
          </div>
        </div>
      </div>
      <Field label="Code from the app" error={form.formState.errors.code?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
            className="max-w-40 font-mono"
          />
        )}
      </Field>
    </div>
  );
}
