import { zodResolver } from '@hookform/resolvers/zod';
import { auth, NewPassword, passwordMinimum } from '@roster/contracts/auth';
import { codePointLength } from '@roster/contracts/text/length';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { clearUser, currentUserQuery } from '#web/api/current-user.ts';
import { NewPasswordFields } from '#web/components/new-password-fields.tsx';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { ApiError, call } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { toastError } from '#web/lib/toast.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import type { MailedLink } from './mailed-link.ts';

const redirectDelay = 2000;

const ResetFields = z.object({ password: NewPassword, confirmation: z.string() }).refine(
  (fields) => fields.password === fields.confirmation,
  // Checked even while the password is too short, so that both can be fixed at once.
  { path: ['confirmation'], message: "Passwords don't match", when: () => true },
);
type ResetValues = z.input<typeof ResetFields>;
const resolver = zodResolver(ResetFields);

export function ResetPasswordForm({ link, onDone }: { link: MailedLink; onDone: () => void }) {
  const reset = useResetPassword(link);
  const form = useForm<ResetValues>({ resolver, defaultValues: { password: '', confirmation: '' } });
  const { errors, isDirty } = form.formState;

  useEffect(() => {
    if (!reset.isSuccess) return;
    const timer = setTimeout(onDone, redirectDelay);
    return () => clearTimeout(timer);
  }, [reset.isSuccess, onDone]);

  const tellTooShort = () => {
    const length = codePointLength(form.getValues('password'));
    if (length > 0 && length < passwordMinimum)
      toastError({
        title: 'Password too short',
        description: 'Password must be at least 8 characters long.',
      });
  };
  const submit = form.handleSubmit(
    ({ password }) =>
      reset.mutate(password, {
        onSuccess: () =>
          toast({ title: 'Password reset successful', description: 'You can now log in with your new password.' }),
        onError: showFormFailure(form, 'Password reset failed', 'Invalid or expired reset token. Please try again.'),
      }),
    tellTooShort,
  );

  if (reset.isSuccess) return <PasswordSet />;
  return (
    <form onSubmit={submit} noValidate className="mt-6 grid gap-4">
      <NewPasswordFields
        label="New Password"
        password={{ register: () => form.register('password'), error: errors.password?.message }}
        confirmation={{ register: () => form.register('confirmation'), error: errors.confirmation?.message }}
      />
      <Button type="submit" variant="primary" busy={reset.isPending} pendingLabel="Resetting..." className="mt-1">
        Reset Password
      </Button>
      {isWrongToken(reset.error) && <LinkCannotBeUsed />}
      <UnsavedChanges when={isDirty && !isWrongToken(reset.error)} what="the password" />
    </form>
  );
}

function PasswordSet() {
  return (
    <Notice
      tone="success"
      live
      title="Your password has been set"
      className="mt-6"
      action={
        <Link to="/auth" className={buttonClass({ size: 'sm' })}>
          Go to login
        </Link>
      }
    >
      All devices have been signed out. Taking you to the login page.
    </Notice>
  );
}

function LinkCannotBeUsed() {
  return (
    <Notice
      tone="destructive"
      title="This link cannot be used"
      action={
        <Link to="/request-reset-password" className={buttonClass({ size: 'sm' })}>
          Request a new link
        </Link>
      }
    >
      A link works once, for 30 minutes, and only the newest one.
    </Notice>
  );
}

const isWrongToken = (error: unknown) => error instanceof ApiError && error.code === 'invalid_token';

function useResetPassword({ userId, token }: MailedLink) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (password: string) => call(auth.resetPassword, { body: { password, userId, token } }),
    // All sessions of this account have ended, including this browser's if it is one of them.
    onSuccess: () => {
      if (client.getQueryData(currentUserQuery.queryKey)?.id === userId) clearUser(client);
    },
  });
}
