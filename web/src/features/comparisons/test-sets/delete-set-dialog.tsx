import type { TestSet } from '@roster/contracts/comparisons/test-sets';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { useSetCalls } from './queries.ts';

type DeleteSetDialogProps = { set: TestSet; onClose: () => void; onDeleted: () => void };

export function DeleteSetDialog({ set, onClose, onDeleted }: DeleteSetDialogProps) {
  const { mutate, isPending } = useSetCalls().remove;
  const { id, name, questions, runs } = set;
  const confirm = () =>
    mutate(id, {
      onSuccess: () => {
        onDeleted();
        toast({ title: 'Test set deleted', description: name });
      },
      onError: showFailure('Failed to delete the test set'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Test Set"
      description={
        <>
          Are you sure you want to delete <strong className="wrap-anywhere font-medium text-foreground">{name}</strong>{' '}
          with its {formatCount(questions, 'question')}, {formatCount(runs, 'run')} and all their answers? This action
          cannot be undone. Its cost stays in Analytics.
        </>
      }
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      busy={isPending}
      destructive
      onConfirm={confirm}
    />
  );
}
