import type { ManagedUser } from '@roster/contracts/users';
import { useQuery } from '@tanstack/react-query';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { type NewLink, newLink } from './password-link-dialog.tsx';
import { useResetUserPassword } from './queries.ts';

type ResetPasswordDialogProps = { user: ManagedUser; onClose: () => void; onLink: (link: NewLink) => void };

export function ResetPasswordDialog({ user, onClose, onLink }: ResetPasswordDialogProps) {
  const reset = useResetUserPassword();
  const sendsMail = useQuery(signInOptionsQuery).data?.mail ?? true;
  const confirm = () =>
    reset.mutate(user.id, {
      onSuccess: ({ link }) => {
        onClose();
        if (link) return onLink(newLink(user, link, 'reset'));
        toast({ title: 'Reset link sent', description: `A link to set a new password was emailed to ${user.email}.` });
      },
      onError: showFailure('Failed to reset password', 'An error occurred. Please try again.'),
    });
  const how = sendsMail
    ? `A link to set a new password will be emailed to ${user.email}.`
    : `This installation has no mail server, so you will see the link for setting a new password for ${user.email} once. Anyone who opens it can sign in to that account and read everything in it. The owner is notified at the next sign-in that you have seen the link.`;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Reset Password"
      description={`${how} The current password works until the link is used.`}
      confirmLabel={sendsMail ? 'Send Link' : 'Create Link'}
      pendingLabel={sendsMail ? 'Sending...' : 'Creating...'}
      busy={reset.isPending}
      onConfirm={confirm}
    />
  );
}
