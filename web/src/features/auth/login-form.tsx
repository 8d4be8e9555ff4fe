import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useLogin } from '#web/api/current-user.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { lazyModule, preloadOnceUsable } from '#web/lib/lazy.ts';
import { dismissErrorToasts, toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { EmailInput } from './email-input.tsx';
import type { LoginProblems } from './login-schema.ts';

// Loaded in parallel to the page: validation brings in all schemas.
const schema = lazyModule(() => import('./login-schema.ts'));
preloadOnceUsable(schema.load);
const wrongCredentials = 'Invalid email or password. Please try again.';

/** Without the form library, because this page must load fast. */
export function LoginForm({ onSecondStep }: { onSecondStep: () => void }) {
  const login = useLogin();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<LoginProblems>({});
  const field = (name: keyof LoginProblems) => form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`);
  const values = () => ({ email: field('email')?.value ?? '', password: field('password')?.value ?? '' });
  const check = async () => {
    const found = (await schema.load()).problemsOf(values());
    setProblems(found);
    return found;
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (login.isPending) return;
    const found = await check();
    if (found.email) return field('email')?.focus();
    if (found.password) return field('password')?.focus();
    login.mutate(values(), {
      onSuccess(user) {
        dismissErrorToasts();
        toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` });
      },
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'second_factor_required') return onSecondStep();
        const refused = error instanceof ApiError && error.status === 401;
        const description = refused ? wrongCredentials : errorText(error, wrongCredentials);
        toastError({ title: 'Login failed', description });
        field('password')?.select();
      },
    });
  };
  const correct = () => {
    if (problems.email || problems.password) void check();
  };

  return (
    <form ref={form} onSubmit={submit} onInput={correct} noValidate className="grid gap-4">
      <Field label="Email" error={problems.email}>
        {(control) => <EmailInput {...control} name="email" autoComplete="username webauthn" />}
      </Field>
      <Field
        label="Password"
        error={problems.password}
        aside={
          <Link to="/request-reset-password" className="rounded-xs text-primary-text text-sm hover:underline">
            Forgot password?
          </Link>
        }
      >
        {(control) => <SecretInput {...control} name="password" what="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" variant="primary" busy={login.isPending} pendingLabel="Logging in..." className="mt-1">
        Login
      </Button>
    </form>
  );
}
