import type { Thread } from '@roster/contracts/chat';
import { trashDays } from '@roster/contracts/trash';
import { useQueryClient } from '@tanstack/react-query';
import { leaveRemoved, useRemoveThread } from '#web/features/chat/shared/mutations.ts';
import { changeThreads } from '#web/features/chat/trash/trash-queries.ts';
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
  const undo = () =>
    void changeThreads(client, 'restore', [thread.id]).catch(showFailure('Failed to restore the conversation'));
  const confirm = () =>
    remove.mutate(thread.id, {
      onSuccess: () => {
        onOpenChange(false);
        leaveRemoved(client, thread.id, onRemoved(thread.id)).catch(reportError);
        toast({
          title: 'Conversation deleted',
          description: thread.title,
          action: { label: 'Undo', onSelect: undo },
        });
      },
      onError: showFailure('Failed to delete the conversation'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onOpenChange}
      title="Delete Conversation"
      description={
        <>
          Are you sure you want to delete <strong className="font-medium text-foreground">{thread.title}</strong> with
          all its messages? You can restore it from the trash for {trashDays} days.
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
