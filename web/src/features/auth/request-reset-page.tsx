import { zodResolver } from '@hookform/resolvers/zod';
import { ResetRequest } from '@roster/contracts/auth';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { useRequestReset } from '#web/api/mailed-links.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { NarrowPage } from './narrow-page.tsx';

const resolver = zodResolver(ResetRequest);

export function RequestResetPage() {
  const { data: options } = useQuery(signInOptionsQuery);
  const request = useRequestReset();
  const form = useForm<z.input<typeof ResetRequest>>({ resolver, defaultValues: { email: '' } });

  const submit = form.handleSubmit(({ email }) =>
    request.mutate(email, {
      onSuccess: () =>
        toast({
          title: 'Reset email sent',
          description: "If an account exists with that email, you'll receive reset instructions shortly.",
        }),
      onError: showFormFailure(form, 'Reset request failed', 'Please try again later.'),
    }),
  );

  return (
    <NarrowPage
      title="Reset password"
      heading="Reset your password"
      lead="Enter the email address of your account to get a link for setting a new password."
    >
      {options?.mail === false && (
        <p className="mt-3 text-muted-foreground text-sm">
          This installation has no mail server: its operator finds the link on the server and gives it to you.
        </p>
      )}
      <form onSubmit={submit} noValidate className="mt-6 grid gap-4">
        <Field label="Email" error={form.formState.errors.email?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('email')}
              type="email"
              autoComplete="username"
              autoCapitalize="none"
            />
          )}
        </Field>
        <Button type="submit" variant="primary" busy={request.isPending} pendingLabel="Sending...">
          Send reset link
        </Button>
      </form>
      {request.isSuccess && (
        <Notice tone="success" live className="mt-4">
          The link works once, for 30 minutes. A newer one replaces it.
        </Notice>
      )}
      <Link to="/auth" className={buttonClass({ variant: 'ghost', className: 'mt-6 -ms-3.5 self-start' })}>
        Back to login
      </Link>
    </NarrowPage>
  );
}
