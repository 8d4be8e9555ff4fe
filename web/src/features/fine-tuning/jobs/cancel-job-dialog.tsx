import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { useJobChanges } from './use-job-changes.ts';

export function CancelJobDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const { change, isPending } = useJobChanges();
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Cancel Fine-Tuning Job"
      description={
        <>
          Cancel <strong className="wrap-anywhere font-medium text-foreground">{job.name}</strong>? It produces no model
          and cannot be resumed. Existing checkpoints are kept. The provider may bill the training so far.
        </>
      }
      cancelLabel="Keep Training"
      confirmLabel="Cancel Job"
      pendingLabel="Cancelling..."
      destructive
      busy={isPending}
      onConfirm={() => change(job, 'cancel', onClose)}
    />
  );
}
