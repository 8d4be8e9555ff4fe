import { SecondFactorCode, secondFactor } from '@roster/contracts/second-factor';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { z } from 'zod';
import { useSignedIn } from '#web/api/current-user.ts';
import { ApiError, call, errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
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
  return <CodeForm hasApp={pending.data.ways.includes('totp')} onBack={onBack} onDone={onDone} />;
}

function CodeForm({ hasApp, onBack, onDone }: SecondStepProps & { hasApp: boolean }) {
  const [isRecovery, setRecovery] = useState(!hasApp);
  const signedIn = useSignedIn();
  const complete = useMutation({
    mutationFn: (body: z.output<typeof Form>) => call(secondFactor.complete, { body }),
  });
  const form = useSchemaForm(Form, { code: '', remember: false });
  const submit = form.handleSubmit((given) =>
    complete.mutate(given, {
      onSuccess({ user, returnPath }) {
        dismissErrorToasts();
        onDone(returnPath);
        signedIn(user);
        toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` });
      },
      onError(error) {
        form.setFocus('code', { shouldSelect: true });
        if (showFieldErrors(form, error)) return;
        toastError({ title: 'Login failed', description: errorText(error, 'Please try again.') });
        if (error instanceof ApiError && error.status === 404) onBack();
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
        description="Until you log out here. Only on a device of your own."
      />
      <Button type="submit" variant="primary" busy={complete.isPending} pendingLabel="Logging in..." className="mt-1">
        Login
      </Button>
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
      hint={isRecovery ? 'Such as k7mp-2xqd-9vht. Each code works once.' : 'Six digits from your authenticator app.'}
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
