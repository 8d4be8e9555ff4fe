import type { User } from '@roster/contracts/auth';
import { passkeys } from '@roster/contracts/passkeys';
import { SecondFactorCode, secondFactor } from '@roster/contracts/second-factor';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { useSignedIn } from '#web/api/current-user.ts';
import { ApiError, call, errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { passkeysWork } from '#web/lib/passkeys-work.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { dismissErrorToasts, toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const Form = z.object({ code: SecondFactorCode, remember: z.boolean() });

type SecondStepProps = {
  /** Back to email and password. */
  onBack: () => void;
  /** Called before the user is signed in; `returnPath`: from the start of a login through a provider. */
  onDone: (returnPath: string) => void;
};

/** Asks for the code after the first step of a sign-in. */
export function SecondStep({ onBack, onDone }: SecondStepProps) {
  const pending = useQuery({
    queryKey: ['sign-in', 'second-step'],
    queryFn: ({ signal }) => call(secondFactor.pending, {}, signal),
    staleTime: 0,
    gcTime: 0,
  });
  if (pending.isError)
    return (
      <div className="grid gap-4">
        <Notice tone="destructive" live title="This sign-in cannot be completed">
          {errorText(pending.error)}
        </Notice>
        <Button onClick={onBack}>Back to login</Button>
      </div>
    );
  if (!pending.data) return <SpinnerPanel label="Loading the second step" className="min-h-72" />;
  const { ways } = pending.data;
  const hasPasskey = ways.includes('passkey') && passkeysWork();
  return <CodeForm hasApp={ways.includes('totp')} hasPasskey={hasPasskey} onBack={onBack} onDone={onDone} />;
}

async function completeByPasskey(remember: boolean) {
  const options = await call(passkeys.secondStepOptions, {});
  const { choosePasskey } = await import('#web/api/passkey-ceremony.ts');
  return call(passkeys.secondStep, { body: { credential: await choosePasskey(options), remember } });
}

/** The end of the second step, however it was taken. */
function useEnd({ onBack, onDone }: SecondStepProps) {
  const signedIn = useSignedIn();
  return {
    done({ user, returnPath }: { user: User; returnPath: string }) {
      dismissErrorToasts();
      onDone(returnPath);
      signedIn(user);
      toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` });
    },
    failed(error: Error) {
      if (error.name === 'PasskeyCancelledError') return;
      toastError({ title: 'Login failed', description: errorText(error, 'Please try again.') });
      if (error instanceof ApiError && error.status === 404) onBack();
    },
  };
}

type CodeFormProps = SecondStepProps & { hasApp: boolean; hasPasskey: boolean };

function CodeForm({ hasApp, hasPasskey, onBack, onDone }: CodeFormProps) {
  const [isRecovery, setRecovery] = useState(!hasApp);
  const { done, failed } = useEnd({ onBack, onDone });
  const byPasskey = useMutation({ mutationFn: completeByPasskey });
  const complete = useMutation({
    mutationFn: (body: z.output<typeof Form>) => call(secondFactor.complete, { body }),
  });
  const form = useSchemaForm(Form, { code: '', remember: false });
  const submit = form.handleSubmit((given) =>
    complete.mutate(given, {
      onSuccess: done,
      onError(error) {
        form.setFocus('code', { shouldSelect: true });
        if (!showFieldErrors(form, error)) failed(error);
      },
    }),
  );
  const swap = () => {
    setRecovery(!isRecovery);
    form.reset({ ...form.getValues(), code: '' });
    form.setFocus('code');
  };
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <CodeField form={form} isRecovery={isRecovery} />
      <Checkbox
        {...form.register('remember')}
        label="Remember this device for 30 days"
        description="Or until you log out here. Use this only on your own device."
      />
      <Button type="submit" variant="primary" busy={complete.isPending} pendingLabel="Logging in..." className="mt-1">
        Login
      </Button>
      {hasPasskey && (
        <Button
          icon={Fingerprint}
          busy={byPasskey.isPending}
          pendingLabel="Waiting for your passkey..."
          onClick={() => byPasskey.mutate(form.getValues('remember'), { onSuccess: done, onError: failed })}
        >
          Use a passkey
        </Button>
      )}
      <div className="flex flex-wrap justify-between gap-x-4 gap-y-1">
        {hasApp && (
          <Button variant="ghost" size="sm" onClick={swap}>
            {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Button>
        )}
        <Button variant="ghost" size="sm" onClick={onBack}>
          Start again
        </Button>
      </div>
    </form>
  );
}

type CodeFieldProps = {
  form: UseFormReturn<z.input<typeof Form>, unknown, z.output<typeof Form>>;
  isRecovery: boolean;
};

function CodeField({ form, isRecovery }: CodeFieldProps) {
  return (
    <Field
      label={isRecovery ? 'Recovery code' : 'Code'}
      hint={
        isRecovery ? 'For example, k7mp-2xqd-9vht. Each code works once.' : 'Six digits from your authenticator app.'
      }
      error={form.formState.errors.code?.message}
    >
      {(control) => (
        <Input
          {...control}
          {...form.register('code')}
          key={isRecovery ? 'recovery' : 'app'}
          autoFocus
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono"
        />
      )}
    </Field>
  );
}
