import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useDeleteAssistant } from '#web/api/assistant-changes.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';

export function DeleteAssistantDialog({ assistant, onClose }: { assistant: Assistant | null; onClose: () => void }) {
  const remove = useDeleteAssistant();
  const confirm = () => {
    if (!assistant) return;
    remove.mutate(assistant.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Assistant deleted', description: 'The assistant has been deleted successfully' });
      },
      onError: showFailure('Failed to delete assistant', 'An error occurred. Please try again.'),
    });
  };
  return (
    <ConfirmDialog
      open={assistant !== null}
      onOpenChange={onClose}
      title="Delete Assistant"
      description="Are you sure you want to delete this assistant? This action cannot be undone."
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    >
      <p className="truncate rounded-md border border-border bg-background px-3 py-2.5 font-medium">
        {assistant?.name}
      </p>
      <p className="mt-3 text-muted-foreground text-sm">
        Conversations are kept. Its test sets and their runs are deleted.
      </p>
    </ConfirmDialog>
  );
}
