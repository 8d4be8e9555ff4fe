import { useRemoveApiKey } from '#web/api/user-config.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';

export function RemoveKeyDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const remove = useRemoveApiKey();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        onClose();
        toast({ title: 'API Key Removed', description: 'Your API key is no longer stored here.' });
      },
      onError: showFailure('Failed to remove API key', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title="Remove API Key"
      description="Your assistants and conversations are kept, but you cannot send messages until you save a key again. The key stays valid at the provider."
      confirmLabel="Remove API Key"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}
