import type { SignInOptions } from '@roster/contracts/auth';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useRegister } from '#web/api/current-user.ts';
import { NewPasswordFields } from '#web/components/new-password-fields.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { lazyResolver, showFormFailure } from '#web/lib/form-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { EmailInput } from './email-input.tsx';
import type { RegisterValues } from './register-schema.ts';

const registerResolver = lazyResolver(() => import('./register-schema.ts').then((part) => part.registerResolver));

/** Registers, and shows the set-up code field once the server asks for it. */
function useRegistration(options: SignInOptions | undefined) {
  const register = useRegister();
  const [codeAskedFor, setCodeAskedFor] = useState(false);
  const form = useForm<RegisterValues>({
    resolver: registerResolver,
    defaultValues: { email: '', password: '', confirmation: '', setupCode: '' },
  });
  const needsCode = codeAskedFor || options?.setupCodeRequired === true;
  const submit = form.handleSubmit(({ email, password, setupCode }) => {
    if (needsCode && setupCode === '') {
      form.setError('setupCode', { message: 'The set-up code is required' }, { shouldFocus: true });
      return;
    }
    register.mutate(needsCode ? { email, password, setupCode } : { email, password }, {
      onSuccess: () => toast({ title: 'Account created', description: 'Your account has been created successfully!' }),
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'setup_code_required') setCodeAskedFor(true);
        showFormFailure(form, 'Registration failed', 'This email might already be in use.')(error);
      },
    });
  });
  return { form, needsCode, submit, isPending: register.isPending };
}

/** `options`: undefined while loading. */
export function RegisterForm({ options }: { options: SignInOptions | undefined }) {
  const { form, needsCode, submit, isPending } = useRegistration(options);
  const { errors } = form.formState;
  const isFirst = options?.hasAccounts === false;

  if (options?.registration === 'closed') {
    return (
      <Notice title="Registration is closed">
        An administrator creates new accounts on this installation. Ask for one, then log in here.
      </Notice>
    );
  }
  if (options?.registration === 'invited')
    return <Notice title="Registration is by invitation">Registration is by invitation. Ask an administrator.</Notice>;
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      {isFirst && <Notice>The first account becomes the administrator.</Notice>}
      <Field label="Email" error={errors.email?.message}>
        {(control) => (
          // Else the pressed tab keeps the focus, or the field that was typed in before the form had loaded.
          <EmailInput {...control} {...form.register('email')} takesFocus={isFirst} autoComplete="username" />
        )}
      </Field>
      <NewPasswordFields
        label="Password"
        password={{ register: () => form.register('password'), error: errors.password?.message }}
        confirmation={{ register: () => form.register('confirmation'), error: errors.confirmation?.message }}
      />
      {needsCode && (
        <Field
          label="Set-up code"
          hint="The server printed it when it started. You need it once, for the first account."
          error={errors.setupCode?.message}
        >
          {(control) => (
            <Input
              {...control}
              {...form.register('setupCode')}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
      )}
      <Button type="submit" variant="primary" busy={isPending} pendingLabel="Creating account..." className="mt-1">
        Register
      </Button>
    </form>
  );
}
