import type { ManagedUser } from '@roster/contracts/users';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useResetSecondFactor } from './queries.ts';

export function ResetSecondFactorDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const reset = useResetSecondFactor();
  const confirm = () =>
    reset.mutate(user.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Second factor reset', description: `${user.email} can sign in without one.` });
      },
      onError: showFailure('Failed to reset the second factor', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Reset second factor"
      description={`Removes the authenticator app, passkeys and recovery codes of ${user.email}, signs the account out on all devices and emails its owner. Make sure the request came from the owner.`}
      confirmLabel="Reset"
      pendingLabel="Resetting..."
      destructive
      busy={reset.isPending}
      onConfirm={confirm}
    />
  );
}
