import { zodResolver } from '@hookform/resolvers/zod';
import { PasswordChange } from '@roster/contracts/auth';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { NewPasswordFields } from '#web/components/new-password-fields.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useChangePassword } from './account-queries.ts';

const ChangeFields = z
  .object({ ...PasswordChange.shape, confirmation: z.string() })
  .refine((fields) => fields.newPassword === fields.confirmation, {
    path: ['confirmation'],
    message: "Passwords don't match",
    // Checked even while another field is invalid, so that both can be fixed at once.
    when: () => true,
  });
type ChangeValues = z.input<typeof ChangeFields>;
const resolver = zodResolver(ChangeFields);

type ChangePasswordDialogProps = { open: boolean; onClose: () => void };

export function ChangePasswordDialog({ open, onClose }: ChangePasswordDialogProps) {
  return open ? <OpenDialog onClose={onClose} /> : null;
}

function OpenDialog({ onClose }: { onClose: () => void }) {
  const change = useChangePassword();
  const form = useForm<ChangeValues>({
    resolver,
    defaultValues: { currentPassword: '', newPassword: '', confirmation: '' },
  });
  const { errors, isDirty } = form.formState;

  const submit = form.handleSubmit(({ currentPassword, newPassword }) =>
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          onClose();
          toast({ title: 'Password changed', description: 'All other devices have been signed out.' });
        },
        onError: (error) => {
          if (error instanceof ApiError && error.code === 'invalid_credentials')
            form.setError('currentPassword', { message: error.message }, { shouldFocus: true });
          else showFieldErrors(form, error);
          showFailure('Failed to change password', 'Please try again.')(error);
        },
      },
    ),
  );

  return (
    <FormDialog
      size="sm"
      title="Change password"
      description="This signs out all other devices and revokes your access tokens."
      action={['Change Password', 'Changing...']}
      busy={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      unsaved={{
        when: isDirty && !change.isSuccess,
        what: 'the password',
        question: { description: 'Your password has not been changed.' },
      }}
      className="grid gap-4"
    >
      <Field label="Current Password" error={errors.currentPassword?.message}>
        {(control) => (
          <SecretInput
            {...control}
            {...form.register('currentPassword')}
            what="current password"
            autoComplete="current-password"
          />
        )}
      </Field>
      <NewPasswordFields
        label="New Password"
        password={{ register: () => form.register('newPassword'), error: errors.newPassword?.message }}
        confirmation={{ register: () => form.register('confirmation'), error: errors.confirmation?.message }}
      />
    </FormDialog>
  );
}
