import type { ManagedUser } from '@roster/contracts/users';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useRemoveUser } from './queries.ts';

export function DeleteUserDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const remove = useRemoveUser();
  const who = user.name ? `${user.name} (${user.email})` : user.email;
  const confirm = () =>
    remove.mutate(user.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'User deleted', description: `${user.email} and all their data have been deleted.` });
      },
      onError: showFailure('Failed to delete user', 'An error occurred. Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete User"
      description={
        <>
          The account of <strong className="font-semibold text-foreground">{who}</strong> is deleted with everything in
          it: conversations, assistants, files, fine-tuning jobs, usage figures, preferences and the provider key. They
          are signed out everywhere at once. This cannot be undone; to keep it all, set the account to Inactive instead.
        </>
      }
      confirmLabel="Delete User"
      pendingLabel="Deleting..."
      busy={remove.isPending}
      destructive
      onConfirm={confirm}
    />
  );
}
