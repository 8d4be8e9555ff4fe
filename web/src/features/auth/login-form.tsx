import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useLogin } from '#web/data/current-user.ts';
import { ApiError, errorText } from '#web/lib/api.ts';
import { lazyResolver } from '#web/lib/lazy-resolver.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { SecretInput } from '#web/ui/secret-input.tsx';
import { toast } from '#web/ui/toast.tsx';
import type { LoginValues } from './login-schema.ts';

const loginResolver = lazyResolver(() => import('./login-schema.ts').then((part) => part.loginResolver));
const wrongCredentials = 'Invalid email or password. Please try again.';

export function LoginForm() {
  const login = useLogin();
  const form = useForm<LoginValues>({ resolver: loginResolver, defaultValues: { email: '', password: '' } });
  const { errors } = form.formState;

  const submit = form.handleSubmit((credentials) =>
    login.mutate(credentials, {
      onSuccess: (user) => toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` }),
      onError: (error) => {
        const refused = error instanceof ApiError && error.status === 401;
        const description = refused ? wrongCredentials : errorText(error, wrongCredentials);
        toast({ title: 'Login failed', description, variant: 'destructive' });
        form.setFocus('password', { shouldSelect: true });
      },
    }),
  );

  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <Field label="Email" error={errors.email?.message}>
        {(control) => (
          <Input {...control} {...form.register('email')} type="email" autoComplete="username" autoCapitalize="none" />
        )}
      </Field>
      <Field
        label="Password"
        error={errors.password?.message}
        aside={
          <Link to="/request-reset-password" className="rounded-xs text-primary-text text-sm hover:underline">
            Forgot password?
          </Link>
        }
      >
        {(control) => (
          <SecretInput {...control} {...form.register('password')} what="password" autoComplete="current-password" />
        )}
      </Field>
      <Button type="submit" variant="primary" busy={login.isPending} pendingLabel="Logging in..." className="mt-1">
        Login
      </Button>
    </form>
  );
}
