import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ban, Bot, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { customModelsQuery, isOpen } from '#web/api/fine-tuning.ts';
import { useAssistantFromModel } from '#web/features/fine-tuning/shared/use-assistant-from-model.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { CancelJobDialog } from './cancel-job-dialog.tsx';
import { availableChanges, useJobChanges } from './use-job-changes.ts';

/** Actions on a job, by its state. */
export function JobActions({ job }: { job: Job }) {
  if (isOpen(job)) return <OpenJobActions job={job} />;
  return job.status === 'succeeded' && job.tunedModel ? <TunedActions job={job} tunedModel={job.tunedModel} /> : null;
}

function OpenJobActions({ job }: { job: Job }) {
  const { reason } = useEditAccess();
  const { change, isPending } = useJobChanges();
  const [isAsking, setAsking] = useState(false);
  const possible = availableChanges(job);
  return (
    <>
      {possible.includes('pause') && (
        <Button icon={Pause} busy={isPending} disabledReason={reason} onClick={() => change(job, 'pause')}>
          Pause
        </Button>
      )}
      {possible.includes('resume') && (
        <Button icon={Play} busy={isPending} disabledReason={reason} onClick={() => change(job, 'resume')}>
          Resume
        </Button>
      )}
      <Button
        icon={Ban}
        disabledReason={reason ?? (job.cancelling ? 'It is being cancelled.' : undefined)}
        onClick={() => setAsking(true)}
      >
        Cancel
      </Button>
      {isAsking && <CancelJobDialog job={job} onClose={() => setAsking(false)} />}
    </>
  );
}

function TunedActions({ job, tunedModel }: { job: Job; tunedModel: string }) {
  const { reason } = useEditAccess();
  const { make, isPending } = useAssistantFromModel();
  const models = useInfiniteQuery(customModelsQuery);
  const known = models.data?.pages.flatMap(({ items }) => items).find(({ model }) => model === tunedModel);
  return (
    <div className="flex max-w-[calc(100vw-2rem)] flex-wrap gap-2">
      <Link
        to="/fine-tuning"
        search={{
          tab: 'compare',
          tuned: tunedModel,
          base: job.baseModel,
          ...(job.validationFile?.id && { prompts: job.validationFile.id }),
        }}
        className={buttonClass()}
      >
        Compare with the Base Model
      </Link>
      <Button
        variant="primary"
        icon={Bot}
        busy={isPending}
        pendingLabel="Creating..."
        disabledReason={reason}
        onClick={() =>
          make({
            id: known?.id ?? null,
            name: job.name,
            model: tunedModel,
            baseModel: job.baseModel,
            isActive: known?.isActive ?? true,
          })
        }
      >
        Create Assistant
      </Button>
    </div>
  );
}
