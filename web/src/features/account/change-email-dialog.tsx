import { zodResolver } from '@hookform/resolvers/zod';
import { Email } from '@roster/contracts/auth';

import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { useUser } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useChangeEmail } from './account-queries.ts';

const withPassword = zodResolver(z.object({ email: Email, password: z.string().min(1, 'Enter your password') }));
const withoutPassword = zodResolver(z.object({ email: Email, password: z.string() }));

/** `mail`: mail is configured; otherwise the operator passes the link on. */
export function ChangeEmailDialog({ mail, onClose }: { mail: boolean; onClose: () => void }) {
  const { hasPassword } = useUser();
  const change = useChangeEmail();
  const form = useForm({
    resolver: hasPassword ? withPassword : withoutPassword,
    defaultValues: { email: '', password: '' },
  });
  const { errors } = form.formState;
  const submit = form.handleSubmit(({ email, password }) =>
    change.mutate(
      { email, ...(hasPassword && { password }) },
      {
        onSuccess: () => {
          onClose();
          toast({
            title: mail ? 'Link sent' : 'Link requested',
            description: mail
              ? `Open the link in the email to ${email} in this browser. Until then your address does not change.`
              : 'The operator of this installation finds the link on the server and gives it to you. Open it in this browser.',
            duration: 12_000,
          });
        },
        onError: showFormFailure(form, 'Failed to change email', 'Please try again.'),
      },
    ),
  );
  return (
    <FormDialog
      size="sm"
      title="Change email"
      description={
        mail
          ? 'We send a link to the new address and a notice to the current one. Opening the link changes your address, signs out your other devices and revokes your access tokens.'
          : 'This installation has no mail server, so its operator gives you the link. Opening it changes your address, signs out your other devices and revokes your access tokens.'
      }
      action={[mail ? 'Send Link' : 'Request Link', 'Sending...']}
      busy={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-4"
    >
      <Field label="New Email" error={errors.email?.message}>
        {(control) => <Input {...control} {...form.register('email')} type="email" autoComplete="email" />}
      </Field>
      {hasPassword && (
        <Field label="Password" error={errors.password?.message}>
          {(control) => (
            <SecretInput {...control} {...form.register('password')} what="password" autoComplete="current-password" />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
