import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { isOpen, type JobChange, useChangeJob } from '#web/api/fine-tuning.ts';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { toast } from '#web/ui/states/toast.tsx';

const done: Record<JobChange, (job: Job) => string> = {
  cancel: ({ name, status, cancelling }) => {
    if (status === 'cancelled') return `${name} has been cancelled.`;
    return cancelling ? `${name} is being cancelled.` : `${name} had ended before it could be cancelled.`;
  },
  pause: ({ name }) => `${name} has been paused.`,
  resume: ({ name }) => `${name} has been resumed.`,
};

/** Actions available for a job. */
export const availableChanges = (job: Job): JobChange[] => {
  if (!isOpen(job) || job.cancelling) return [];
  if (job.status === 'running') return ['pause', 'cancel'];
  return job.status === 'paused' ? ['resume', 'cancel'] : ['cancel'];
};

/** Changes a job and reports the result. */
export function useJobChanges() {
  const mutation = useChangeJob();
  const change = (job: Job, what: JobChange, onDone?: () => void) =>
    mutation.mutate(
      { id: job.id, change: what },
      {
        onSuccess: (changed) => toast({ title: 'Success', description: done[what](changed) }),
        onError: showError(`Failed to ${what} fine-tuning job`),
        onSettled: () => onDone?.(),
      },
    );
  return { change, isPending: mutation.isPending };
}
