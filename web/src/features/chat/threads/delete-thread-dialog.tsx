import type { Thread } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { leaveRemoved, useRemoveThread } from '#web/features/chat/shared/mutations.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';

type DeleteThreadDialogProps = {
  thread: Thread;
  onOpenChange: (open: boolean) => void;
  /** Navigates away if it was open; may return a promise of that. */
  onRemoved: (threadId: number) => unknown;
};

export function DeleteThreadDialog({ thread, onOpenChange, onRemoved }: DeleteThreadDialogProps) {
  const client = useQueryClient();
  const remove = useRemoveThread();
  const confirm = () =>
    remove.mutate(thread.id, {
      onSuccess: () => {
        onOpenChange(false);
        leaveRemoved(client, thread.id, onRemoved(thread.id)).catch(reportError);
        toast({ title: 'Conversation deleted', description: thread.title });
      },
      onError: showFailure('The conversation was not deleted'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onOpenChange}
      title="Delete Conversation"
      description={
        <>
          Are you sure you want to delete <strong className="font-medium text-foreground">{thread.title}</strong> with
          all its messages? This action cannot be undone.
        </>
      }
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      busy={remove.isPending}
      destructive
      onConfirm={confirm}
    />
  );
}
