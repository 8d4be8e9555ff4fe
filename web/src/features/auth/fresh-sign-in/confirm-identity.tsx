import { auth, type SignInOptions } from '@roster/contracts/auth';
import { type ConfirmationMethod, freshSignIn, IdentityConfirmation } from '@roster/contracts/fresh-sign-in';
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { call } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { passkeysWork } from '#web/lib/passkeys-work.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { SignInAgain } from './sign-in-again.tsx';

let asking: Promise<boolean> | undefined;

/** Has the user confirm their identity, once for all calls that wait for it. false: they declined. */
export function confirmIdentity(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

async function ask(): Promise<boolean> {
  const [{ isFresh, ways }, options] = await Promise.all([call(freshSignIn.state, {}), call(auth.options, {})]);
  if (isFresh) return true;
  // A root of its own: any part of the page, or none, may have made the call.
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  try {
    return await new Promise((resolve) => root.render(<Confirmation ways={ways} options={options} onEnd={resolve} />));
  } finally {
    root.unmount();
    place.remove();
  }
}

type Props = { ways: readonly ConfirmationMethod[]; options: SignInOptions; onEnd: (isConfirmed: boolean) => void };

function Confirmation({ ways, options, onEnd }: Props) {
  const way = ways.find((candidate) => candidate === 'password' || candidate === 'code');
  const passkey = ways.includes('passkey') && passkeysWork() && <PasskeyButton onConfirmed={() => onEnd(true)} />;
  if (way) return <ConfirmDialog way={way} passkey={passkey} onEnd={onEnd} />;
  return <SignInAgain ways={ways} options={options} passkey={passkey} onCancel={() => onEnd(false)} />;
}

const forms = {
  password: {
    schema: z.object({ password: IdentityConfirmation.shape.password.unwrap().min(1, 'Enter your password.') }),
    description: 'You signed in more than 10 minutes ago. Enter your password to continue.',
  },
  code: {
    schema: z.object({ code: z.string().min(1, 'Enter a code.') }),
    description:
      'You signed in more than 10 minutes ago. Enter a code from your authenticator app, or a recovery code, to continue.',
  },
};

type ConfirmDialogProps = { way: 'password' | 'code'; passkey: ReactNode; onEnd: Props['onEnd'] };

function ConfirmDialog({ way, passkey, onEnd }: ConfirmDialogProps) {
  const [failure, setFailure] = useState<Error | null>(null);
  const form = useSchemaForm<{ [name in typeof way]?: string }, { [name in typeof way]?: string }>(forms[way].schema, {
    [way]: '',
  });
  const submit = form.handleSubmit(async (body) => {
    setFailure(null);
    try {
      await call(freshSignIn.confirm, { body });
      onEnd(true);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (!showFieldErrors(form, error)) setFailure(error);
      form.setFocus(way, { shouldSelect: true });
    }
  });
  const { isSubmitting, errors } = form.formState;
  return (
    <FormDialog
      size="sm"
      title="Confirm it’s you"
      description={forms[way].description}
      action={['Confirm', 'Confirming...']}
      busy={isSubmitting}
      onSubmit={submit}
      onClose={() => onEnd(false)}
      failed={{ title: 'Not confirmed', error: failure }}
      className="grid gap-5"
    >
      {way === 'password' ? (
        <Field label="Password" error={errors.password?.message}>
          {(control) => (
            <SecretInput
              {...control}
              {...form.register('password')}
              data-autofocus
              what="password"
              autoComplete="current-password"
            />
          )}
        </Field>
      ) : (
        <Field label="Code" error={errors.code?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('code')}
              data-autofocus
              autoComplete="one-time-code"
              spellCheck={false}
            />
          )}
        </Field>
      )}
      {passkey}
    </FormDialog>
  );
}
