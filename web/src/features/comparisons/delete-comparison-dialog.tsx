import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { useDeleteComparison } from './shared/queries.ts';

type DeleteComparisonDialogProps = { comparison: Comparison; onClose: () => void; onDeleted: () => void };

export function DeleteComparisonDialog({ comparison, onClose, onDeleted }: DeleteComparisonDialogProps) {
  const { mutate, isPending } = useDeleteComparison();
  const { id, title } = comparison;
  const confirm = () =>
    mutate(id, {
      onSuccess: () => {
        onDeleted();
        toast({ title: 'Comparison deleted', description: title });
      },
      onError: showFailure('Failed to delete the comparison'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Comparison"
      description={
        <>
          Are you sure you want to delete the comparison{' '}
          <strong className="wrap-anywhere font-medium text-foreground">{title}</strong> with its answers and votes?
          This action cannot be undone. Its cost stays in Analytics.
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
