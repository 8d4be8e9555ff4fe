import type { ManagedUser } from '@roster/contracts/users';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useSignOutUser } from './queries.ts';

export function SignOutUserDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const signOut = useSignOutUser();
  const confirm = () =>
    signOut.mutate(user.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Signed out', description: `${user.email} has been signed out on all devices.` });
      },
      onError: showFailure('Failed to sign out', 'An error occurred. Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Sign Out Everywhere"
      description={`${user.email} is signed out on all devices immediately and can sign in again. Access tokens of this account keep working. To block the account and its access tokens, set it to Inactive instead.`}
      confirmLabel="Sign Out"
      pendingLabel="Signing out..."
      busy={signOut.isPending}
      onConfirm={confirm}
    />
  );
}
